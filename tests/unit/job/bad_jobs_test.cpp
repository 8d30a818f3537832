// Every way to get a job file wrong, with the one line that the user reads.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/job/job.hpp"

namespace tasfg {
namespace {

struct BadJob {
  const char* name;
  std::string text;
  std::vector<std::string> overrides;
  const char* message;
};

void PrintTo(const BadJob& job, std::ostream* out) {
  *out << job.name;
}

FeedbackGraph read_graph(const std::string& path) {
  if (path == "tiny.csv") return {2, {1.0, 0.0, 0.0, 1.0}, path};
  throw InputError(path + ": no such file");
}

std::string message_of(const std::string& text, const std::vector<std::string>& overrides) {
  try {
    static_cast<void>(expand_job(text, "jobs/bad.toml", overrides, &read_graph));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// A job with one ring, with `top` above it and `block` in it.
std::string ring(const std::string& top, const std::string& block = "") {
  return "algorithms = []\n" + top + "\n[[graph]]\nfamily = \"ring\"\n" + block + "\n";
}
/// The same with an algorithm.
std::string simulated(const std::string& top, const std::string& block = "") {
  return "algorithms = [\"tas-fg\"]\n" + top + "\n[[graph]]\nfamily = \"ring\"\n" + block + "\n";
}
/// As many expressions as given, in one list.
std::string expressions(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += "\"1/K\", ";
  return "[" + list + "]";
}
std::string block(const std::string& text) {
  return "algorithms = []\n[[graph]]\n" + text + "\n";
}

class BadJobs : public testing::TestWithParam<BadJob> {};

TEST_P(BadJobs, AreRefusedWithFileKeyValueAndWhatWouldBeRight) {
  EXPECT_EQ(message_of(GetParam().text, GetParam().overrides), GetParam().message);
}

const BadJob kSyntax[] = {
    {"NoValue",
     "seed =\n",
     {},
     "jobs/bad.toml:1:7: Error while parsing key-value pair: expected value, saw '\\n'"},
    {"UnclosedList",
     "algorithms = [\"tas-fg\"\n[[graph]]\n",
     {},
     "jobs/bad.toml:2:1: Error while parsing array: expected comma or closing ']', saw '['"},
    {"KeyTwice",
     "seed = 1\nseed = 2\n",
     {},
     "jobs/bad.toml:2:8: Error while parsing key-value pair: cannot redefine existing integer 'seed'"},
    {"BareWord",
     "seed = 1\nsetting = quick\n",
     {},
     "jobs/bad.toml:2:11: Error while parsing value: could not determine value type"},
    {"DeepBrackets", "a = [[[[[[[[[[[[[[[[[", {}, "jobs/bad.toml:1:21: nests too deep (at most 16 levels)"},
    {"DeepKey",
     "# a\na.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1",
     {},
     "jobs/bad.toml:2:34: nests too deep (at most 16 levels)"},
    {"DotsAfterAString",
     "a = "
     "" + std::string(R"("""x"y\\""")") +
         "\nb.'c.d'.\"e\\\".f\".b.b.b.b.b.b.b.b.b.b.b.b.b.b.b = 1",
     {},
     "jobs/bad.toml:2:44: nests too deep (at most 16 levels)"},
    {"BeyondAscii",
     "algorithms = []  # \u00e9\ns\u00e9ed = 1",
     {},
     "jobs/bad.toml:2:2: a character beyond ASCII (only texts and comments may hold one)"},
    {"HeaderWithoutAKey",
     "algorithms = []\n [[ =graph]]",
     {},
     "jobs/bad.toml:2:5: a table header must start with a key"},
    {"BeyondAsciiInAKey",
     "algorithms = []\n\"s\u00e9ed\" = 1",
     {},
     "jobs/bad.toml:2:3: a character beyond ASCII in a key"},
    {"BeyondAsciiEscaped", "name = \"\\\u00e9\"", {}, "jobs/bad.toml:1:10: no such escape"},
    {"ControlCharacter", "a\x01 = 1", {}, "jobs/bad.toml:1:2: a control character"},
    {"LoneReturn", "a = 1\rb = 1", {}, "jobs/bad.toml:1:6: a control character"},
    {"Time",
     "a = 1979-05-27T07:32:00Z",
     {},
     "jobs/bad.toml:1:18: a colon outside text (a job holds no times)"},
    {"BracketsMismatched", "a = [1, 2}", {}, "jobs/bad.toml:1:10: a bracket that closes no other"},
    {"BracketTooMany", "a = [1]]", {}, "jobs/bad.toml:1:8: a bracket that closes no other"},
    {"QuoteInAWord", "a = 5b\"c\"", {}, "jobs/bad.toml:1:7: a quote in the midst of a word"},
    {"TextNotClosed",
     "algorithms = [\"tas-fg]\nname = \"x\"\n",
     {},
     "jobs/bad.toml:1:15: a text that is not closed"},
    {"LongTextNotClosed", "seed = 1\nname = '''a\n\nb''", {}, "jobs/bad.toml:2:8: a text that is not closed"},
    {"TooLong",
     std::string((1 << 20) + 1, '#'),
     {},
     "jobs/bad.toml: 1048577 bytes (a job file must have at most 1048576)"},
};

const BadJob kTop[] = {
    {"Empty", "", {}, "jobs/bad.toml has no algorithms (must be a list of names, [] for curves only)"},
    {"WhereWithoutAComparison",
     ring("", "where = \"p + 1\""),
     {},
     "jobs/bad.toml: graph[0].where = \"p + 1\" (must compare, with one of <= >= < > == !=)"},
    {"WhereOfAnUnknownName",
     ring("", "where = \"p <= q\""),
     {},
     "jobs/bad.toml: graph[0].where: unknown name \"q\" in a condition (known: K, p)"},
    {"WhereIsANumber",
     ring("", "where = 1"),
     {},
     "jobs/bad.toml: graph[0].where = 1 (must be text, as \"p + q <= 1\")"},
    {"WhereLeavesNothing",
     ring("", "where = \"p > 1\""),
     {},
     "jobs/bad.toml has no case (1 are left out by where, 0 by skip_infeasible)"},
    {"SkipInfeasibleIsAWord",
     ring("skip_infeasible = \"yes\""),
     {},
     "jobs/bad.toml: skip_infeasible = \"yes\" (must be true or false)"},
    {"NoGraph", "algorithms = []", {}, "jobs/bad.toml has no [[graph]] block (must have at least one)"},
    {"NoBlocks",
     "algorithms = []\ngraph = []",
     {},
     "jobs/bad.toml: graph is empty (must have at least one block)"},
    {"SingleTable",
     "algorithms = []\n[graph]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: graph is a table (must be one or more blocks, each under [[graph]])"},
    {"GraphsAreWords",
     "algorithms = []\ngraph = [\"ring\"]",
     {},
     "jobs/bad.toml: graph[0] = \"ring\" (must be a [[graph]] block)"},
    {"UnknownKey",
     ring("replication = 3"),
     {},
     "jobs/bad.toml: unknown key replication (did you mean \"replications\"?)"},
    {"UnknownQuotedKey",
     ring("\"max steps\" = 3"),
     {},
     "jobs/bad.toml: unknown key \"max steps\" (did you mean \"max_steps\"?)"},
    {"EmptyName",
     ring("name = \"\""),
     {},
     "jobs/bad.toml: name = \"\" (must be 1 to 100 printable characters)"},
    {"NameOfTwoLines",
     ring("name = \"a\\nb\""),
     {},
     "jobs/bad.toml: name = \"a?b\" (must be 1 to 100 printable characters)"},
    {"NameIsANumber", ring("name = 5"), {}, "jobs/bad.toml: name = 5 (must be text)"},
    {"NegativeSeed",
     ring("seed = -1"),
     {},
     "jobs/bad.toml: seed = -1 (must be a whole number from 0 to 9000000000000000)"},
    {"FractionalSeed",
     ring("seed = 1.5"),
     {},
     "jobs/bad.toml: seed = 1.5 (must be a whole number from 0 to 9000000000000000)"},
    {"NoReplications",
     ring("replications = 0"),
     {},
     "jobs/bad.toml: replications = 0 (must be a whole number from 1 to 1000000000)"},
    {"ReplicationsInWords",
     ring("replications = \"ten\""),
     {},
     "jobs/bad.toml: replications = \"ten\" (must be a whole number from 1 to 1000000000)"},
    {"ReplicationsInAList",
     ring("replications = [10]"),
     {},
     "jobs/bad.toml: replications is a list (must be a whole number from 1 to 1000000000)"},
    {"ReplicationsAreADate",
     ring("replications = 2025-01-01"),
     {},
     "jobs/bad.toml: replications is a date or time (must be a whole number from 1 to 1000000000)"},
    {"PrecisionOfNothing",
     ring("precision = {}"),
     {},
     "jobs/bad.toml: precision asks for nothing (must be a table of relative half-widths, as { mean = 0.02 "
     "})"},
    {"PrecisionIsANumber",
     ring("precision = 0.02"),
     {},
     "jobs/bad.toml: precision = 0.02 (must be a table of relative half-widths, as { mean = 0.02 })"},
    {"PrecisionUnknown",
     ring("precision = { medain = 0.02 }"),
     {},
     "jobs/bad.toml: unknown key precision.medain (did you mean \"median\"?)"},
    {"PrecisionZero",
     ring("precision = { mean = 0.0 }"),
     {},
     "jobs/bad.toml: precision.mean = 0 (must lie strictly between 0 and 1)"},
    {"PrecisionMinimum",
     ring("precision = { mean = 0.1, minimum = 8 }"),
     {},
     "jobs/bad.toml: precision.minimum = 8 (must be a whole number from 32 to 1000000000)"},
    {"PrecisionOfErrors",
     ring("precision = { error = 0.1 }"),
     {},
     "jobs/bad.toml: precision.error is of weighted runs (needs measure = \"error\")"},
    {"PrecisionOfTimesOfWeightedRuns",
     ring("measure = \"error\"\nprecision = { mean = 0.1 }"),
     {},
     "jobs/bad.toml: precision.mean is of plain runs (with measure = \"error\" give error)"},
    {"PrecisionOfARatioToNothing",
     ring("precision = { ratio = 0.1 }"),
     {},
     "jobs/bad.toml: precision.ratio compares with the first algorithm (needs another one)"},
    {"CheckpointAtTheStart",
     ring("checkpoints = [0, 100]"),
     {},
     "jobs/bad.toml: checkpoints[0] = 0 (must be a whole number from 1 to 1000000000)"},
    {"CheckpointBeyondTheCap",
     ring("max_steps = 500\ncheckpoints = [100, 1000]"),
     {},
     "jobs/bad.toml: checkpoints[1] = 1000 (must be a whole number from 1 to 500)"},
    {"CheckpointsOutOfOrder",
     ring("checkpoints = [100, 50]"),
     {},
     "jobs/bad.toml: checkpoints[1] = 50 (must be larger than the one before)"},
    {"CheckpointTwice",
     ring("checkpoints = [100, 100]"),
     {},
     "jobs/bad.toml: checkpoints[1] = 100 (must be larger than the one before)"},
    {"CheckpointInWords",
     ring("checkpoints = \"often\""),
     {},
     "jobs/bad.toml: checkpoints = \"often\" (must be a whole number from 1 to 1000000000)"},
    {"PullsByDeltaInWords",
     ring("pulls_by_delta = \"yes\""),
     {},
     "jobs/bad.toml: pulls_by_delta = \"yes\" (must be true or false)"},
    {"PullsByDeltaAsANumber",
     ring("pulls_by_delta = 1"),
     {},
     "jobs/bad.toml: pulls_by_delta = 1 (must be true or false)"},
    {"NoSteps",
     ring("max_steps = 0"),
     {},
     "jobs/bad.toml: max_steps = 0 (must be a whole number from 1 to 1000000000000000)"},
    {"MoreStepsThanCanBeCounted",
     ring("max_steps = 2e15"),
     {},
     "jobs/bad.toml: max_steps = 2000000000000000 (must be a whole number from 1 to 1000000000000000)"},
    {"SkipAsANumber", ring("skip = 0"), {}, "jobs/bad.toml: skip = 0 (must be true or false)"},
    {"Setting",
     ring("setting = \"informd\""),
     {},
     "jobs/bad.toml: setting = \"informd\" (did you mean \"informed\"?)"},
    {"SettingIsTrue",
     ring("setting = true"),
     {},
     "jobs/bad.toml: setting = true (must be one of informed, uninformed, known-graph)"},
    {"Conventions",
     ring("conventions = \"published\""),
     {},
     "jobs/bad.toml: conventions = \"published\" (known: paper, reference)"},
    {"Stream",
     ring("stream = \"numpyy\""),
     {},
     "jobs/bad.toml: stream = \"numpyy\" (did you mean \"numpy\"?)"},
    {"Threshold",
     ring("threshold = \"practicl\""),
     {},
     "jobs/bad.toml: threshold = \"practicl\" (did you mean \"practical\"?)"},
    {"ConventionPoint",
     ring("[convention]\nstatistics = \"counts\""),
     {},
     "jobs/bad.toml: unknown key convention.statistics (did you mean \"statistic\"?)"},
    {"ConventionValue",
     ring("[convention]\nstatistic = \"count\""),
     {},
     "jobs/bad.toml: convention.statistic = \"count\" (must be counts or pseudo-count)"},
    {"ConventionNumber",
     ring("[convention]\n\"exp3.g\" = 3"),
     {},
     "jobs/bad.toml: convention.\"exp3.g\" = 3 (must be paper or reference)"},
    {"ConventionIsAWord",
     ring("convention = \"paper\""),
     {},
     "jobs/bad.toml: convention = \"paper\" (must be a table of convention points; for all of them set "
     "conventions)"},
};

const BadJob kDeltas[] = {
    {"BothDeltas",
     ring("delta = 0.1\nlog_inv_delta = 2"),
     {},
     "jobs/bad.toml: delta and log_inv_delta both list confidences (give one)"},
    {"DeltaOne",
     ring("delta = [0.1, 1.0]"),
     {},
     "jobs/bad.toml: delta = 1 (must lie strictly between 0 and 1)"},
    {"DeltaTiny",
     ring("delta = 1e-305"),
     {},
     "jobs/bad.toml: delta = 1e-305 (ln(1/delta) must lie in (0, 700])"},
    {"LogInvDeltaZero",
     ring("log_inv_delta = [1, 0]"),
     {},
     "jobs/bad.toml: log_inv_delta = 0 (ln(1/delta) must lie in (0, 700])"},
    {"LogInvDeltaTwice",
     ring("log_inv_delta = [1.0, 2.2, 1]"),
     {},
     "jobs/bad.toml: log_inv_delta: 1 stands twice (each value once)"},
    {"NoDeltas", ring("delta = []"), {}, "jobs/bad.toml: delta is empty (must hold at least one number)"},
    {"DeltaIsAWord",
     ring("delta = \"small\""),
     {},
     "jobs/bad.toml: delta = \"small\" (must be a number, a list of numbers or a range)"},
    {"DeltaHoldsAWord",
     ring("delta = [0.1, \"small\"]"),
     {},
     "jobs/bad.toml: delta[1] = \"small\" (must be a number)"},
    {"ManyDeltas",
     ring("delta = {from = 0.1, to = 0.2, count = 1001}"),
     {},
     "jobs/bad.toml: delta holds 1001 values (must be at most 1000)"},
};

const BadJob kAlgorithms[] = {
    {"AlgorithmName",
     "algorithms = [\"tas-fg\", \"ucb-fe-g\"]\n[[graph]]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: algorithms[1] = \"ucb-fe-g\" (did you mean \"ucb-fg-e\"?)"},
    {"AlgorithmTwice",
     "algorithms = [\"uniform\", \"uniform\"]\n[[graph]]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: algorithms[1] = \"uniform\" (stands twice in the list)"},
    {"AlgorithmsAreANumber",
     "algorithms = 5\n[[graph]]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: algorithms = 5 (must be a list of names)"},
    {"AlgorithmIsANumber",
     "algorithms = [5]\n[[graph]]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: algorithms[0] = 5 (must be one of tas-fg, tas-fg-heur, tas-fg-argmax, tas-fg-topk, "
     "exp3.g, "
     "ucb-fg-e, ucb-fg-v, eps-greedy, eps-greedy-info, uniform, oracle)"},
    {"OptionsOfAStranger",
     simulated("[algorithm.tas-gf]\nperiod = 5"),
     {},
     "jobs/bad.toml: unknown key algorithm.tas-gf (did you mean \"tas-fg\"?)"},
    {"OptionsOfAnAbsentOne",
     simulated("[algorithm.tas-fg-heur]\nperiod = 5"),
     {},
     "jobs/bad.toml: algorithm.tas-fg-heur has options, but tas-fg-heur is not among algorithms"},
    {"OptionName",
     simulated("[algorithm.tas-fg]\nperod = 5"),
     {},
     "jobs/bad.toml: unknown key algorithm.tas-fg.perod (did you mean \"period\"?)"},
    {"OptionValue",
     simulated("[algorithm.tas-fg]\nperiod = 0"),
     {},
     "jobs/bad.toml: algorithm.tas-fg.period = 0 (must lie in [1, 1000000000])"},
    {"OptionWord",
     simulated("[algorithm.tas-fg]\ntracking = \"cc\""),
     {},
     "jobs/bad.toml: algorithm.tas-fg.tracking = \"cc\" (did you mean \"c\"?)"},
    {"OptionType",
     simulated("[algorithm.tas-fg]\nperiod = [1, 2]"),
     {},
     "jobs/bad.toml: algorithm.tas-fg.period is a list (must be a number or a word)"},
    {"OptionTextForANumber",
     simulated("[algorithm.tas-fg]\nperiod = \"often\""),
     {},
     "jobs/bad.toml: algorithm.tas-fg.period = \"often\" (must lie in [1, 1000000000])"},
    {"NoOptionsThere",
     "algorithms = [\"exp3.g\"]\n[algorithm.\"exp3.g\"]\nrate = 1\n[[graph]]\nfamily = \"ring\"",
     {},
     "jobs/bad.toml: algorithm.\"exp3.g\": exp3.g takes no options"},
    {"AlgorithmTableIsAWord",
     simulated("algorithm = \"tas-fg\""),
     {},
     "jobs/bad.toml: algorithm = \"tas-fg\" (must hold tables of options, as [algorithm.\"tas-fg\"])"},
    {"OptionsAreAWord",
     simulated("algorithm.tas-fg = \"fast\""),
     {},
     "jobs/bad.toml: algorithm.tas-fg = \"fast\" (must be a table of options)"},
};

const BadJob kBlocks[] = {
    {"NoFamily",
     block("K = 5"),
     {},
     "jobs/bad.toml: graph[0] has no family (must be one of bandit, full, apple-tasting, revealing-action, "
     "ring, "
     "loopless-clique, loopy-star, loopy-star-alt, symmetric, random, torus, k-regular, power-law, "
     "geometric, file)"},
    {"FamilyMisspelt",
     block("family = \"rng\""),
     {},
     "jobs/bad.toml: graph[0].family = \"rng\" (did you mean \"ring\"?)"},
    {"FamilyKeyMisspelt",
     block("famly = \"ring\"\nfamily = \"ring\""),
     {},
     "jobs/bad.toml: unknown key graph[0].famly (did you mean \"family\"?)"},
    {"ParameterOfAnotherFamily",
     block("family = \"bandit\"\nparity = \"paper\""),
     {},
     "jobs/bad.toml: unknown key graph[0].parity (known: family, reward, means, where, variance, K, p)"},
    {"TopKeyInABlock",
     ring("", "replications = 10"),
     {},
     "jobs/bad.toml: unknown key graph[0].replications (replications belongs at the top, above the first "
     "table)"},
    {"Probability", ring("", "p = 1.3"), {}, "jobs/bad.toml: graph[0].p = 1.3 (must lie in [0, 1])"},
    {"ProbabilityInAList",
     ring("", "p = [0.1, -0.1]"),
     {},
     "jobs/bad.toml: graph[0].p = -0.1 (must lie in [0, 1])"},
    {"ProbabilityInARange",
     ring("", "p = {from = 0.5, to = 1.5, count = 3}"),
     {},
     "jobs/bad.toml: graph[0].p = 1.5 (must lie in [0, 1])"},
    {"NotANumber",
     ring("", "p = nan"),
     {},
     "jobs/bad.toml: graph[0].p = nan (must be a number, a list, a range or an expression; it must be "
     "finite)"},
    {"FractionalK",
     ring("", "K = 5.5"),
     {},
     "jobs/bad.toml: graph[0].K = 5.5 (must be a whole number from 3 to 1000000)"},
    {"FractionalKInARange",
     ring("", "K = {from = 3, to = 10, count = 3}"),
     {},
     "jobs/bad.toml: graph[0].K = 6.5 (must be a whole number from 3 to 1000000)"},
    {"SmallK",
     "algorithms = []\n[[graph]]\nfamily = \"bandit\"\n[[graph]]\nfamily = \"ring\"\nK = 2",
     {},
     "jobs/bad.toml: graph[1].K = 2 (must be a whole number from 3 to 1000000)"},
    {"KIsTrue",
     ring("", "K = true"),
     {},
     "jobs/bad.toml: graph[0].K = true (must be a number, a list, a range or an expression)"},
    {"KHoldsAList",
     ring("", "K = [5, [6]]"),
     {},
     "jobs/bad.toml: graph[0].K[1] is a list (must be a number or an expression)"},
    {"NoK", ring("", "K = []"), {}, "jobs/bad.toml: graph[0].K is empty (must hold at least one value)"},
    {"Parity",
     block("family = \"loopless-clique\"\nparity = \"odd\""),
     {},
     "jobs/bad.toml: graph[0].parity = \"odd\" (known: paper, reference)"},
    {"ParityNumber",
     block("family = \"loopless-clique\"\nparity = 1"),
     {},
     "jobs/bad.toml: graph[0].parity = 1 (must be text)"},
    {"NoPath", block("family = \"file\""), {}, "jobs/bad.toml: graph[0] has no path (family file needs it)"},
    {"MissingFile",
     block("family = \"file\"\npath = \"G.csv\""),
     {},
     "jobs/bad.toml: graph[0] (file path=G.csv): G.csv: no such file"},
    {"LowAboveHigh",
     block("family = \"random\"\nq = 0.8\nr = 0.5"),
     {},
     "jobs/bad.toml: graph[0] (random K=5 p=0.5 q=0.8 r=0.5 seed=0): q = 0.8 (must not exceed r = 0.5: they "
     "bound "
     "the edge probabilities)"},
    {"Unobservable",
     block("family = \"loopy-star\"\nq = [0.25, 0]"),
     {},
     "jobs/bad.toml: graph[0] (loopy-star K=5 p=0.2 q=0 r=0.25): vertex 0 (counted from 0) is unobservable: "
     "its "
     "column holds no positive probability"},
    {"RepeatedWithin",
     ring("", "K = [5, 6, 5]"),
     {},
     "jobs/bad.toml: graph[0] repeats the case \"ring K=5 p=0.3\" of graph[0] (each case once)"},
    {"RepeatedAcross",
     "algorithms = []\n[[graph]]\nfamily = \"ring\"\nK = 6\n[[graph]]\nfamily = "
     "\"bandit\"\n[[graph]]\nfamily = "
     "\"ring\"\nK = [5, 6]",
     {},
     "jobs/bad.toml: graph[2] repeats the case \"ring K=6 p=0.3\" of graph[0] (each case once)"},
};

const BadJob kRanges[] = {
    {"RangeKey",
     ring("", "p = {from = 0.1, to = 0.9, steps = 5}"),
     {},
     "jobs/bad.toml: unknown key graph[0].p.steps (known: from, to, count, scale)"},
    {"RangeWithoutCount",
     ring("", "p = {from = 0.1, to = 0.9}"),
     {},
     "jobs/bad.toml: graph[0].p has no count (a range needs from, to and count)"},
    {"RangeCountZero",
     ring("", "p = {from = 0.1, to = 0.9, count = 0}"),
     {},
     "jobs/bad.toml: graph[0].p.count = 0 (must be a whole number from 1 to 1000000)"},
    {"RangeCountHuge",
     ring("", "p = {from = 0.1, to = 0.9, count = 1000001}"),
     {},
     "jobs/bad.toml: graph[0].p.count = 1000001 (must be a whole number from 1 to 1000000)"},
    {"RangeOfOne",
     ring("", "p = {from = 0.1, to = 0.9, count = 1}"),
     {},
     "jobs/bad.toml: graph[0].p.count = 1 (must be at least 2 where from and to differ)"},
    {"RangeOfNoWidth",
     ring("", "p = {from = 0.1, to = 0.1, count = 2}"),
     {},
     "jobs/bad.toml: graph[0].p.count = 2 (must be 1 where from and to are equal)"},
    {"RangeScale",
     ring("", "p = {from = 0.1, to = 0.9, count = 3, scale = \"logg\"}"),
     {},
     "jobs/bad.toml: graph[0].p.scale = \"logg\" (did you mean \"log\"?)"},
    {"RangeLogFromZero",
     ring("", "p = {from = 0, to = 0.9, count = 3, scale = \"log\"}"),
     {},
     "jobs/bad.toml: graph[0].p.from = 0 (must be positive where scale is \"log\")"},
    {"RangeFromAWord",
     ring("", "p = {from = \"0\", to = 0.9, count = 3}"),
     {},
     "jobs/bad.toml: graph[0].p.from = \"0\" (must be a number)"},
    {"RangeTooWide",
     ring("", "reward = \"gaussian\"\nvariance = {from = -1.7e308, to = 1.7e308, count = 3}"),
     {},
     "jobs/bad.toml: graph[0].variance spans too much (its values must be finite)"},
};

const BadJob kExpressions[] = {
    {"ExpressionName",
     block("family = \"loopy-star\"\nr = \"0.25*(1-2*s)\""),
     {},
     "jobs/bad.toml: graph[0].r: unknown name \"s\" in an expression (known: K, p, q)"},
    {"ExpressionOfAWord",
     block("family = \"loopless-clique\"\np = \"parity\""),
     {},
     "jobs/bad.toml: graph[0].p: unknown name \"parity\" in an expression (known: K)"},
    {"ExpressionSyntax",
     block("family = \"loopy-star\"\nr = \"0.25*(1-2*q\""),
     {},
     "jobs/bad.toml: graph[0].r = \"0.25*(1-2*q\" (a bracket is not closed)"},
    {"ExpressionInAList",
     block("family = \"loopy-star\"\nr = [0.1, \"q+\"]"),
     {},
     "jobs/bad.toml: graph[0].r[1] = \"q+\" (a number or a name is missing at the end)"},
    {"ExpressionOutOfRange",
     block("family = \"loopy-star\"\nK = [3, 5]\nr = \"K/4\""),
     {},
     "jobs/bad.toml: graph[0].r = \"K/4\" at K=5: r = 1.25 (must lie in [0, 1])"},
    {"ExpressionNotWhole",
     block("family = \"ring\"\np = 0.3\nK = \"1/p\""),
     {},
     "jobs/bad.toml: graph[0].K = \"1/p\" at p=0.3: K = 3.3333333333333335 (must be a whole number from 3 to "
     "1000000)"},
    {"ExpressionInfinite",
     block("family = \"loopy-star\"\nr = \"1/(K-5)\""),
     {},
     "jobs/bad.toml: graph[0].r = \"1/(K-5)\" (is infinite at K=5; must be a finite number)"},
    {"ExpressionOfItself",
     block("family = \"loopy-star\"\nr = \"r/2\""),
     {},
     "jobs/bad.toml: graph[0].r depends on itself (r -> r)"},
    {"ExpressionCycle",
     block("family = \"loopy-star\"\np = \"q/2\"\nq = \"r\"\nr = \"p+0.1\""),
     {},
     "jobs/bad.toml: graph[0].p depends on itself (p -> q -> r -> p)"},
    {"ExpressionOfAComputedDefault",
     block("family = \"loopy-star-alt\"\np = \"r\""),
     {},
     "jobs/bad.toml: graph[0].p uses r, whose default is computed from other parameters (give r a value)"},
};

const BadJob kRewards[] = {
    {"Reward",
     ring("reward = \"gausian\""),
     {},
     "jobs/bad.toml: reward = \"gausian\" (did you mean \"gaussian\"?)"},
    {"RewardInABlock",
     ring("reward = \"gaussian\"", "reward = [\"poisson\", \"bernouli\"]"),
     {},
     "jobs/bad.toml: graph[0].reward[1] = \"bernouli\" (did you mean \"bernoulli\"?)"},
    {"NoReward", ring("reward = []"), {}, "jobs/bad.toml: reward is empty (must hold at least one name)"},
    {"Variance", ring("variance = 0"), {}, "jobs/bad.toml: variance = 0 (must lie in [1e-100, 1e+100])"},
    {"VarianceOfBernoulli",
     ring("", "reward = \"bernoulli\"\nvariance = 2"),
     {},
     "jobs/bad.toml: graph[0].variance = 2 (bernoulli rewards have no free variance)"},
    {"VarianceForNobody",
     ring("variance = 2", "reward = \"bernoulli\"\nmeans = [0.1, 0.2, 0.3, 0.4, 0.5]"),
     {},
     "jobs/bad.toml: variance is used by no block (none takes it: they have their own, or rewards without a "
     "free "
     "variance)"},
    {"MeansTooFew",
     ring("", "means = [0, 1]"),
     {},
     "jobs/bad.toml: graph[0] (ring K=5 p=0.3): 2 means (must be one per vertex, K = 5)"},
    {"MeansTooMany",
     ring("means = {from = 0, to = 1, count = 4097}"),
     {},
     "jobs/bad.toml: means holds 4097 values (must be at most 4096)"},
    {"MeansAreANumber",
     ring("means = 1"),
     {},
     "jobs/bad.toml: means = 1 (must be a list of numbers, one per vertex, or an expression of the vertex, "
     "as "
     "\"v/K\")"},
    {"MeansOfAnUnknownName",
     ring("means = \"u/K\""),
     {},
     "jobs/bad.toml: means: unknown name \"u\" in an expression (known: v, K, p)"},
    {"MeansThatAreNoNumbers",
     ring("", "means = \"1/(v-2)\""),
     {},
     "jobs/bad.toml: graph[0].means = \"1/(v-2)\" (is infinite at v=2; must be a finite number)"},
    {"MeansHoldAWord", ring("means = [1, \"2\"]"), {}, "jobs/bad.toml: means[1] = \"2\" (must be a number)"},
    {"BestNotUnique",
     ring("", "means = [0, 1, 0, 1, 0]"),
     {},
     "jobs/bad.toml: graph[0] (ring K=5 p=0.3): vertices 1 and 3 (counted from 0) share the largest mean 1 "
     "(the best "
     "vertex must be unique)"},
    {"MeansOutOfRange",
     ring("", "reward = \"bernoulli\""),
     {},
     "jobs/bad.toml: graph[0] (ring K=5 p=0.3 bernoulli): the default means, 0 to 1, do not fit bernoulli "
     "rewards "
     "(means must lie in the open interval (0, 1); set means in the job or in this block)"},
    {"UninformedBernoulli",
     simulated("setting = \"uninformed\"", "reward = \"bernoulli\"\nmeans = [0.1, 0.2, 0.3, 0.4, 0.5]"),
     {},
     "jobs/bad.toml: graph[0] (ring K=5 p=0.3 bernoulli): setting = uninformed with bernoulli rewards (a "
     "reward of 0 "
     "cannot be told from an edge that did not fire, and the best vertex is unidentifiable: Prop. 4 of the "
     "paper; use "
     "setting informed)"},
    {"ReferenceTracking",
     simulated("conventions = \"reference\"\n[algorithm.tas-fg]\ntracking = \"c\""),
     {},
     "jobs/bad.toml: graph[0] (ring K=5 p=0.3): tas-fg: tracking and period (allocation-update = every-5K "
     "fixes both; "
     "use every-step)"},
};

const BadJob kLimits[] = {
    {"TooManyCases",
     block("family = \"loopy-star\"\nK = 3\np = {from = 0.1, to = 1, count = 1001}\nq = {from = 0.1, to = 1, "
           "count = "
           "1000}"),
     {},
     "jobs/bad.toml: graph[0] brings the job to more than 1000000 cases (the most that a job may have)"},
    {"OverflowingCases",  // 2^76 of them: 0 in 64 bits
     block(
         "family = \"random\"\np = {from = 0.1, to = 1, count = 524288}\nq = {from = 0.1, to = 0.2, count = "
         "524288}\nr = {from = 0.3, to = 1, count = 524288}\nseed = {from = 0, to = 524287, count = 524288}"),
     {},
     "jobs/bad.toml: graph[0] brings the job to more than 1000000 cases (the most that a job may have)"},
    {"TooManyCasesTogether",
     "algorithms = []\n[[graph]]\nfamily = \"ring\"\np = {from = 0.1, to = 1, count = "
     "1000000}\n[[graph]]\nfamily = "
     "\"bandit\"",
     {},
     "jobs/bad.toml: graph[1] brings the job to more than 1000000 cases (the most that a job may have)"},
    {"TooManyVariances",
     ring("", "p = [0.1, 0.2]\nvariance = {from = 1, to = 2, count = 500001}"),
     {},
     "jobs/bad.toml: graph[0] brings the job to more than 1000000 cases (the most that a job may have)"},
    {"TooManyTasks",
     simulated("replications = 1_000_000_000", "p = {from = 0.1, to = 0.9, count = 10}"),
     {},
     "jobs/bad.toml: replications = 1000000000 (cases: 10, algorithms: 1; a job may have at most 10000000000 "
     "tasks)"},
    {"TooManyExpressions",
     "algorithms = []\n[[graph]]\nfamily = \"ring\"\np = \"0.5\"\n[[graph]]\nfamily = \"bandit\"\np = " +
         expressions(10'000),
     {},
     "jobs/bad.toml: graph[1].p[9999] brings the job to more than 10000 expressions (the most that a job may "
     "have)"},
    {"TooManyEntries",
     ring("", "K = 4096\np = {from = 0.1, to = 0.9, count = 120}"),
     {},
     "jobs/bad.toml: graph[0] brings the job to more than 2000000000 entries of graphs, the sum of K*K over "
     "all "
     "cases, or of vertices and edges where K is above 4096 (split the job)"},
};

const BadJob kOverrides[] = {
    {"NoEquals",
     ring(""),
     {"replications"},
     "--set \"replications\" (must be key=value, as in graph[0].K=5)"},
    {"NoKey", ring(""), {"=5"}, "--set \"=5\" (must be key=value, as in graph[0].K=5)"},
    {"BadIndex",
     ring(""),
     {"graph[a].K=5"},
     "--set \"graph[a].K=5\" (must be key=value, as in graph[0].K=5)"},
    {"NoSuchBlock",
     ring(""),
     {"graph[1].K=5"},
     "--set graph[1].K: the job has no graph[1] (it has 1, counted from 0)"},
    {"NoSuchList", ring(""), {"delta[0]=5"}, "--set delta[0]: the job has no delta"},
    {"NoTable", ring("seed = 1"), {"seed.x=5"}, "--set seed.x: seed is no table"},
    {"NoList", ring("seed = 1"), {"seed[0]=5"}, "--set seed[0]: seed is no list"},
    {"UnknownOverride",
     ring(""),
     {"replication=5"},
     "--set replication: unknown key replication (did you mean \"replications\"?)"},
    {"UnknownInABlock",
     ring(""),
     {"graph[0].pp=0.5"},
     "--set graph[0].pp: unknown key graph[0].pp (did you mean \"p\"?)"},
    {"OverrideValue",
     ring(""),
     {"replications=0"},
     "--set replications = 0 (must be a whole number from 1 to 1000000000)"},
    {"OverrideWord",
     ring(""),
     {"replications=ten"},
     "--set replications = \"ten\" (must be a whole number from 1 to 1000000000)"},
    {"OverrideOfAllBlocks",
     ring(""),
     {"graph.p=1.3"},
     "--set graph.p: graph[0].p = 1.3 (must lie in [0, 1])"},
    {"OverrideOption",
     simulated(""),
     {"algorithm.\"tas-fg\".period=0"},
     "--set algorithm.tas-fg.period = 0 (must lie in [1, 1000000000])"},
    {"OverrideRange",
     ring(""),
     {"graph[0].p={from = 0, to = 1, count = 0}"},
     "--set graph[0].p: graph[0].p.count = 0 (must be a whole number from 1 to 1000000)"},
    {"OverridePrecision",
     ring(""),
     {"precision.mean=2"},
     "--set precision.mean = 2 (must lie strictly between 0 and 1)"},
    {"OverrideExpression",
     ring(""),
     {"graph[0].p=1/(K-5)"},
     "--set graph[0].p = \"1/(K-5)\" (is infinite at K=5; must be a finite number)"},
};

std::string name_of(const testing::TestParamInfo<BadJob>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Syntax, BadJobs, testing::ValuesIn(kSyntax), name_of);
INSTANTIATE_TEST_SUITE_P(Top, BadJobs, testing::ValuesIn(kTop), name_of);
INSTANTIATE_TEST_SUITE_P(Deltas, BadJobs, testing::ValuesIn(kDeltas), name_of);
INSTANTIATE_TEST_SUITE_P(Algorithms, BadJobs, testing::ValuesIn(kAlgorithms), name_of);
INSTANTIATE_TEST_SUITE_P(Blocks, BadJobs, testing::ValuesIn(kBlocks), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, BadJobs, testing::ValuesIn(kRanges), name_of);
INSTANTIATE_TEST_SUITE_P(Expressions, BadJobs, testing::ValuesIn(kExpressions), name_of);
INSTANTIATE_TEST_SUITE_P(Rewards, BadJobs, testing::ValuesIn(kRewards), name_of);
INSTANTIATE_TEST_SUITE_P(Limits, BadJobs, testing::ValuesIn(kLimits), name_of);
INSTANTIATE_TEST_SUITE_P(Overrides, BadJobs, testing::ValuesIn(kOverrides), name_of);

TEST(BadJobFile, AMissingFileOrADirectoryIsNamed) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(read_job(path, {}, &read_graph));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("no/such/job.toml"), "no/such/job.toml: no such file");
  EXPECT_EQ(message("."), ".: is a directory (must be a file)");
}

TEST(BadJobFile, MessagesStayOnOneLineWhateverTheBytes) {
  for (const char* text : {"\"a\\nb\" = 1", "name = \"\\u0007\"", "setting = \"\\n\\n\"", "[\"\\n\"]",
                           "a\x01 = 1", "[[graph]]\nfamily = \"\\r\\n\"", "\xff\xfe", "x = '\x80'"}) {
    const std::string message = message_of(std::string("algorithms = []\n") + text, {});
    EXPECT_NE(message, "accepted");
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << message;
  }
}

TEST(BadJobFile, GraphFilesNeedAReader) {
  const std::string text = block("family = \"file\"\npath = \"G.csv\"");
  try {
    static_cast<void>(expand_job(text, "jobs/bad.toml", {}, nullptr));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "jobs/bad.toml: graph[0] (file path=G.csv): family = \"file\" (graph files cannot be read here)");
  }
}

}  // namespace
}  // namespace tasfg
