/* A sampling rule of your own, as a shared library in C or C++ (or anything that can export C functions).
 *
 *     #include <tasfg/rule.h>
 *
 *     static int32_t choose(void* state, const tasfg_estimate* e) { return (int32_t)(e->t % e->K); }
 *
 *     static const tasfg_rule rules[] = {{.name = "mine", .summary = "all vertices in turn", .choose = choose}};
 *     static const tasfg_rule_table table = {TASFG_RULE_VERSION, 1, rules};
 *     const tasfg_rule_table* tasfg_rules(void) { return &table; }
 *
 *     cc -O2 -shared -fPIC -I include mine.c -o libmine.so
 *     tasfg simulate --rule ./libmine.so -a mine --graph ring
 *
 * or `rules = ["libmine.so"]` in a job file. Runs use several threads at once: what belongs to a run belongs into
 * its state, and what a rule draws comes from the run's own stream (`uniform`), so that results are the same
 * everywhere. Compile with -ffp-contract=off where results must be the same bits on every machine.
 */
#ifndef TASFG_RULE_H
#define TASFG_RULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. A library of another version is refused. */
#define TASFG_RULE_VERSION 1

/* What the learner knows. For reading, and during the call only; pointers stay the same during a run. */
typedef struct tasfg_estimate {
  int64_t t;                  /* draws so far */
  int32_t K;                  /* vertices, counted from 0 */
  int32_t best;               /* the vertex of largest mean; of equal ones the first */
  const double* means;        /* [u]: mean of the rewards of u that were shown; 1 where there was none */
  const double* observations; /* [u]: how many they were */
  const double* pulls;        /* [v]: draws of v */
  const double* counts;       /* [u * stride + v]: how often v showed u */
  int64_t stride;
  /* The estimated probability that v shows u (the true one where the graph is known to the learner). */
  double (*graph)(const struct tasfg_estimate* estimate, int32_t v, int32_t u);
  /* The divergence of the reward family between means x and y. */
  double (*divergence)(const struct tasfg_estimate* estimate, double x, double y);
  /* The next number of the run's own random stream, in [0, 1). */
  double (*uniform)(const struct tasfg_estimate* estimate);
  const void* inner; /* tasfg's own */
  void* stream;      /* tasfg's own */
} tasfg_estimate;

/* A rule. Functions but choose may be null. */
typedef struct tasfg_rule {
  const char* name;    /* as in --algorithm: letters, digits, '.', '-', '_' */
  const char* summary; /* one line for people; may be null */
  /* A run begins, with K vertices: its state, which the other functions get; null means that it cannot. */
  void* (*start)(int32_t K);
  /* The next vertex. Anything outside 0 .. K - 1 ends the run: a failed task. */
  int32_t (*choose)(void* state, const tasfg_estimate* estimate);
  /* The vertex that was chosen has shown this reward of u. */
  void (*shown)(void* state, const tasfg_estimate* estimate, int32_t u, double reward);
  /* All rewards of this draw of v were shown. */
  void (*finish)(void* state, const tasfg_estimate* estimate, int32_t v);
  /* The run has ended. */
  void (*end)(void* state);
  /* Why choose returned no vertex; the text must last until end. */
  const char* (*message)(void* state);
} tasfg_rule;

typedef struct tasfg_rule_table {
  int32_t version; /* TASFG_RULE_VERSION */
  int32_t count;
  const tasfg_rule* rules;
} tasfg_rule_table;

/* The one function that the library exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const tasfg_rule_table*
tasfg_rules(void);

#ifdef __cplusplus
}
#endif
#endif /* TASFG_RULE_H */
