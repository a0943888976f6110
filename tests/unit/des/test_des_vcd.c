#include "tests/unit/des/vcd_dump.h"

/* --- a checker of dumps that knows nothing of the writer ---------------------------------- */

#define CODES_MAX 4096
struct checker {
    struct {
        char code[8], name[64];
        unsigned bits;
        int scope;
        bool event;
    } vars[CODES_MAX];
    int n_vars, depth, n_scopes, scope[64];
    unsigned long long time, changes;
    bool timed;
};

static int find_code(const struct checker *c, const char *code)
{
    for (int i = 0; i < c->n_vars; i++)
        if (strcmp(c->vars[i].code, code) == 0)
            return i;
    return -1;
}

static void check_var(struct checker *c, const char *line)
{
    char kind[8], code[8], name[64], range[16], end[8];
    unsigned bits;
    int n = sscanf(line, "$var %7s %u %7s %63s %15s %7s", kind, &bits, code, name, range, end);

    cr_assert(n == 5 || n == 6, "%s", line);
    cr_assert_eq(find_code(c, code), -1, "declared twice: %s", line);
    cr_assert(strcmp(kind, "wire") == 0 || (strcmp(kind, "event") == 0 && bits == 1), "%s", line);
    if (bits > 1) {
        char expected[16];
        snprintf(expected, sizeof expected, "[%u:0]", bits - 1);
        cr_assert_str_eq(range, expected, "%s", line);
    }
    cr_assert_str_eq(n == 6 ? end : range, "$end", "%s", line);
    cr_assert_eq(strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                 strlen(name), "%s", line);
    for (int i = 0; i < c->n_vars; i++)
        cr_assert(c->vars[i].scope != c->scope[c->depth] || strcmp(c->vars[i].name, name) != 0,
                  "a name twice in a scope: %s", line);
    cr_assert_lt(c->n_vars, CODES_MAX);
    strcpy(c->vars[c->n_vars].code, code);
    strcpy(c->vars[c->n_vars].name, name);
    c->vars[c->n_vars].scope = c->scope[c->depth];
    c->vars[c->n_vars].event = strcmp(kind, "event") == 0;
    c->vars[c->n_vars++].bits = bits;
}

static void check_declaration(struct checker *c, const char *line)
{
    if (strncmp(line, "$var ", 5) == 0) {
        check_var(c, line);
    } else if (strncmp(line, "$scope module ", 14) == 0) {
        cr_assert_lt(++c->depth, 64);
        c->scope[c->depth] = ++c->n_scopes;
    } else if (strcmp(line, "$upscope $end") == 0) {
        cr_assert_gt(c->depth--, 0, "more scopes closed than opened");
    } else {
        cr_assert(strcmp(line, "$timescale 1 fs $end") == 0 || strncmp(line, "$version ", 9) == 0,
                  "%s", line);
    }
}

static void check_change(struct checker *c, const char *line)
{
    bool vector = *line == 'b';
    size_t digits = strspn(line + vector, "01x");
    int i = find_code(c, line + vector + digits + vector);

    cr_assert(c->timed, "a value before the first time stamp");
    cr_assert(!vector || line[1 + digits] == ' ', "%s", line);
    cr_assert_geq(i, 0, "not declared: %s", line);
    cr_assert_eq(vector, c->vars[i].bits > 1, "%s", line);
    cr_assert(digits >= 1 && digits <= c->vars[i].bits, "%s", line);
    cr_assert(!c->vars[i].event || *line == '1', "%s", line);
    c->changes++;
}

/* Fails if `text` is no valid dump; returns the number of value changes, and the names, those of
 * the file one after another with a space behind each, if `names` is not NULL. */
static unsigned long long check_dump(const char *text, char *names)
{
    struct checker *c = calloc(1, sizeof *c);
    char *copy = strdup(text), *rest = copy, *line;
    bool declared = false;

    while ((line = strsep(&rest, "\n")) && (rest || *line)) {
        if (!declared && strcmp(line, "$enddefinitions $end") == 0) {
            declared = true;
            cr_assert_eq(c->depth, 0, "a scope is left open");
        } else if (!declared) {
            check_declaration(c, line);
        } else if (*line == '#') {
            unsigned long long time = strtoull(line + 1, &line, 10);
            cr_assert_eq(*line, '\0');
            cr_assert(!c->timed || time > c->time, "time %llu after %llu", time, c->time);
            c->timed = true;
            c->time = time;
        } else if (strcmp(line, "$dumpvars") != 0 && strcmp(line, "$end") != 0) {
            check_change(c, line);
        }
    }
    cr_assert(declared);
    for (int i = 0; names && i < c->n_vars; i++)
        names += sprintf(names, "%s ", c->vars[i].name);
    unsigned long long changes = c->changes;
    free(copy);
    free(c);
    return changes;
}

/* --- what is recorded --------------------------------------------------------------------- */

struct actor {
    struct des_signal busy, level;
    struct des_out out;
    struct des_event tick;
    unsigned char item;
};

static uint32_t run_action(struct des *sim, void *self, uint32_t at)
{
    struct actor *a = self;

    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 2);
    des_write(sim, a->busy, 1);
    des_write(sim, a->level, 200);
    DES_WAIT_FOR(sim, 5);        /* 7 */
    des_write(sim, a->level, 3); /* gone in the next delta: not in the dump */
    DES_WAIT_FOR(sim, 0);
    des_write(sim, a->level, 200);
    DES_WAIT_FOR(sim, 5); /* 12 */
    des_write(sim, a->level, 300);
    des_notify(sim, a->tick);
    des_put(sim, a->out, &a->item);
    DES_WAIT_FOR(sim, 0);
    des_put(sim, a->out, &a->item); /* two at 12: only the last number counts */
    des_notify(sim, a->tick);
    DES_WAIT_FOR(sim, 5); /* 17 */
    des_write(sim, a->level, (uint64_t)-1);
    des_notify(sim, a->tick);
    DES_WAIT_FOR(sim, 6); /* 23 */
    DES_END;
}

static const char whole_dump[] = "$version cyclotron $end\n"
                                 "$timescale 1 fs $end\n"
                                 "$scope module top $end\n"
                                 "$var wire 1 # clk $end\n"
                                 "$scope module core $end\n"
                                 "$var wire 8 \" level [7:0] $end\n"
                                 "$var wire 1 $ busy $end\n"
                                 "$scope module mxu $end\n"
                                 "$var event 1 ! tick $end\n"
                                 "$var wire 3 % q [2:0] $end\n"
                                 "$upscope $end\n"
                                 "$upscope $end\n"
                                 "$upscope $end\n"
                                 "$enddefinitions $end\n"
                                 "#0\n"
                                 "$dumpvars\n"
                                 "b101 \"\n"
                                 "0#\n"
                                 "0$\n"
                                 "b0 %\n"
                                 "$end\n"
                                 "1#\n"
                                 "#2\n"
                                 "1$\n"
                                 "b11001000 \"\n"
                                 "#5\n"
                                 "0#\n"
                                 "#10\n"
                                 "1#\n"
                                 "#12\n"
                                 "1!\n"
                                 "bx \"\n"
                                 "b10 %\n"
                                 "#15\n"
                                 "0#\n"
                                 "#17\n"
                                 "1!\n"
                                 "b11111111 \"\n"
                                 "#20\n"
                                 "1#\n"
                                 "#23\n";

Test(des_vcd, a_whole_dump)
{
    struct dump d = open_dump();
    struct des_module top = des_module_new(d.sim, ROOT, "top");
    struct des_module idle = des_module_new(d.sim, top, "idle");
    struct des_module core = des_module_new(d.sim, top, "core");
    struct des_module mxu = des_module_new(d.sim, core, "mxu");
    struct des_clock clock = des_clock_new(d.sim, top, "clk", UINT64_C(100000000000000));
    struct des_fifo fifo = des_fifo_new(d.sim, mxu, "q", 1, 4);
    struct actor a = { .busy = des_signal_new(d.sim, core, "busy", 0),
                       .level = des_signal_new(d.sim, core, "level", 5),
                       .out = des_out_new(d.sim, core, "out", 1),
                       .tick = des_event_new(d.sim, mxu, "tick") };

    (void)idle;
    des_bind(d.sim, a.out, fifo);
    des_thread_new(d.sim, core, "act", run_action, &a);
    des_vcd_add(d.vcd, a.tick, 1);
    des_vcd_add(d.vcd, a.level, 8);
    des_vcd_add(d.vcd, clock, 1);
    des_vcd_add(d.vcd, a.busy, 1);
    des_vcd_add(d.vcd, fifo, 1);
    elaborate_model(d.sim);
    des_run(d.sim, 23);
    char *text = close_dump(&d);
    cr_assert_str_eq(text, whole_dump);
    check_dump(text, NULL);
    free(text);
}

Test(des_vcd, time_has_64_bits_and_so_has_a_value)
{
    struct dump d = open_dump();
    struct pulse p = { .n = UINT64_MAX - 2, .last = UINT64_MAX, .delay = DES_NEVER - 1 };

    add_pulse(&d, &p, des_module_new(d.sim, ROOT, "m"), "s", 64);
    elaborate_model(d.sim);
    des_run(d.sim, DES_NEVER);
    char *text = close_dump(&d);
    const char *values = strstr(text, "#0\n");
    cr_assert_not_null(values);
    cr_assert_str_eq(values,
                     "#0\n$dumpvars\nb0 !\n$end\n"
                     "b1111111111111111111111111111111111111111111111111111111111111110 !\n"
                     "#18446744073709551614\n"
                     "b1111111111111111111111111111111111111111111111111111111111111111 !\n");
    check_dump(text, NULL);
    free(text);
}

Test(des_vcd, names_are_legal_and_their_own)
{
    static const char *const given[] = { "bank[3]", "bank_3_",   "bank[3]",           "3d",
                                         "$end",    "bank_3__2", "\xc3\xa9t\xc3\xa9", "a b" };
    struct dump d = open_dump();
    struct des_module m = des_module_new(d.sim, ROOT, "chip[0]");
    struct des_module inner = des_module_new(d.sim, m, "3d"); /* as a signal beside it */
    char names[256];

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        des_vcd_add(d.vcd, des_signal_new(d.sim, m, given[i], 0), 1);
    des_vcd_add(d.vcd, des_signal_new(d.sim, inner, "3d", 0), 1);
    des_vcd_add(d.vcd, des_signal_new(d.sim, ROOT, "outside", 0), 1);
    elaborate_model(d.sim);
    char *text = close_dump(&d);
    cr_assert_eq(check_dump(text, names), 0);
    cr_assert_str_eq(names,
                     "outside bank_3_ bank_3__2 bank_3__3 _3d _end bank_3__2_2 __t__ a_b _3d ");
    cr_assert_not_null(strstr(text, "$scope module chip_0_ $end\n"));
    cr_assert_not_null(strstr(text, "$scope module _3d_2 $end\n"));
    free(text);
}

Test(des_vcd, many_variables_and_times_are_valid)
{
    enum { MODULES = 40, EACH = 25 };
    struct dump d = open_dump();
    struct pulse *p = calloc(MODULES * EACH, sizeof *p);
    struct des_module m = ROOT;
    unsigned long long expected = MODULES * EACH; /* the first values */
    char name[16], *names = calloc(MODULES * EACH, sizeof name);

    for (unsigned i = 0; i < MODULES; i++) { /* chains of modules, 8 deep */
        snprintf(name, sizeof name, "m%u", i);
        m = des_module_new(d.sim, i % 8 ? m : ROOT, name);
        for (unsigned k = 0; k < EACH; k++) {
            struct pulse *one = &p[i * EACH + k];
            snprintf(name, sizeof name, "s%u", k);
            *one = (struct pulse){ .last = 1 + (i * 7 + k) % 50, .delay = 1 + (i * k) % 11 };
            add_pulse(&d, one, m, name, 6 + k % 59);
            expected += one->last;
        }
    }
    elaborate_model(d.sim);
    des_run(d.sim, DES_NEVER);
    char *text = close_dump(&d);
    cr_assert_eq(check_dump(text, names), expected);
    cr_assert_null(strchr(names, '_'), "each scope has its own s0");
    free(names);
    free(text);
    free(p);
}

static void strike_event(struct des *sim, void *self)
{
    des_notify(sim, *(struct des_event *)self);
}

Test(des_vcd, an_event_at_the_very_start)
{
    struct dump d = { .path = "/tmp/test_vcd.XXXXXX", .sim = des_new() };
    struct des_event e = des_event_new(d.sim, ROOT, "e");
    struct err err;

    close(mkstemp(d.path));
    des_on(d.sim, ROOT, DES_START_OF_SIMULATION, strike_event, &e); /* before the dump has begun */
    d.vcd = des_vcd_open(d.sim, d.path, &err);
    des_vcd_add(d.vcd, e, 1);
    elaborate_model(d.sim);
    des_run(d.sim, 0);
    char *text = close_dump(&d);
    cr_assert_str_eq(text, "$version cyclotron $end\n$timescale 1 fs $end\n$var event 1 ! e $end\n"
                           "$enddefinitions $end\n#0\n$dumpvars\n$end\n1!\n");
    free(text);
}

Test(des_vcd, without_a_run_there_are_no_values)
{
    struct dump d = open_dump();

    des_vcd_add(d.vcd, des_clock_new(d.sim, ROOT, "clk", 1), 1);
    elaborate_model(d.sim);
    char *text = close_dump(&d);
    cr_assert_str_eq(text, "$version cyclotron $end\n$timescale 1 fs $end\n$var wire 1 ! clk $end\n"
                           "$enddefinitions $end\n");
    free(text);
}

Test(des_vcd, memory_does_not_grow_with_the_run)
{
    struct dump d = open_dump();
    struct pulse p = { .last = 200000, .delay = 3 };

    add_pulse(&d, &p, des_module_new(d.sim, ROOT, "m"), "s", 20);
    elaborate_model(d.sim);
    struct mallinfo2 before = mallinfo2();
    des_run(d.sim, DES_NEVER);
    struct mallinfo2 after = mallinfo2();
    cr_assert_eq(p.n, 200000);
    cr_assert_eq(after.uordblks, before.uordblks);
    cr_assert_eq(after.hblkhd, before.hblkhd);
    char *text = close_dump(&d);
    /* the first value and 1 to 200000; the last at 3 * 199999 */
    cr_assert_eq(check_dump(text, NULL), 200001);
    cr_assert_not_null(strstr(text, "\n#599997\nb110000110101000000 !\n"));
    free(text);
}
