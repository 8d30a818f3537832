/* Rules that the tests load as a library: good ones, and each way to be bad. */
#include <stdlib.h>

#include "tasfg/rule.h"

static int32_t in_turn(void* state, const tasfg_estimate* e) {
  (void)state;
  return (int32_t)(e->t % e->K);
}

/* Draws from the stream, keeps a state, and looks at everything there is. */
typedef struct {
  int32_t K;
  double rewards;
} greedy_state;
static void* greedy_start(int32_t K) {
  greedy_state* state = malloc(sizeof *state);
  if (state != NULL) *state = (greedy_state){K, 0.0};
  return state;
}
static int32_t greedy_choose(void* state, const tasfg_estimate* e) {
  const double u = e->uniform(e);
  (void)state;
  if (u < 0.1) {
    const int32_t v = (int32_t)(u / 0.1 * e->K);
    return v < e->K ? v : e->K - 1;
  }
  return e->best;
}
static void greedy_shown(void* state, const tasfg_estimate* e, int32_t u, double reward) {
  ((greedy_state*)state)->rewards += reward * e->graph(e, u, u) * 0.0 + e->counts[u * e->stride] * 0.0;
}
static void greedy_finish(void* state, const tasfg_estimate* e, int32_t v) {
  ((greedy_state*)state)->rewards += e->divergence(e, e->means[v], e->means[e->best]) * 0.0;
}

static int32_t minus_one(void* state, const tasfg_estimate* e) {
  (void)state;
  return e->t < 3 ? 0 : -1;
}
static const char* no_idea(void* state) {
  (void)state;
  return "no idea what to do";
}
static int32_t too_large(void* state, const tasfg_estimate* e) {
  (void)state;
  return e->K;
}
static void* no_start(int32_t K) {
  (void)K;
  return NULL;
}
static int32_t crash(void* state, const tasfg_estimate* e) {
  (void)state;
  if (e->t > 5) *(volatile int*)(size_t)8 = 1;
  return 0;
}
static int32_t hang(void* state, const tasfg_estimate* e) {
  (void)state;
  for (volatile int i = 0; e->t > 5; ++i) {
  }
  return 0;
}

static const tasfg_rule rules[] = {
    {.name = "in-turn", .summary = "all vertices in turn", .choose = in_turn},
    {.name = "greedy", .start = greedy_start, .choose = greedy_choose, .shown = greedy_shown, .finish = greedy_finish, .end = free},
    {.name = "minus-one", .choose = minus_one, .message = no_idea},
    {.name = "too-large", .choose = too_large},
    {.name = "no-start", .start = no_start, .choose = in_turn},
    {.name = "crash", .choose = crash},
    {.name = "hang", .choose = hang},
};
static const tasfg_rule_table table = {TASFG_RULE_VERSION, sizeof rules / sizeof rules[0], rules};

#ifdef OTHER_VERSION
static const tasfg_rule_table other = {TASFG_RULE_VERSION + 1, 1, rules};
const tasfg_rule_table* tasfg_rules(void) { return table.version != 0 ? &other : &table; }
#else
const tasfg_rule_table* tasfg_rules(void) { return &table; }
#endif
