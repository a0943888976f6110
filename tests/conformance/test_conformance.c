#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "model.h"

static size_t count_models(void)
{
    size_t n = 0;

    while (model_at(n))
        n++;
    return n;
}

/* Each model is a test: a test gets its number, since pointers do not survive into its process. */
ParameterizedTestParameters(conformance, model_logs_what_the_standard_says)
{
    size_t n = count_models();
    size_t *numbers = cr_malloc(n * sizeof *numbers);

    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    return cr_make_param_array(size_t, numbers, n);
}

ParameterizedTest(size_t *number, conformance, model_logs_what_the_standard_says)
{
    const struct model *m = model_at(*number);
    char *log = model_play(m, kernel_play);

    cr_assert_str_eq(log, m->log, "%s\n%s--- expected\n%s--- got\n%s", m->name, m->text, m->log,
                     log);
    free(log);
}

Test(conformance, no_two_models_have_one_name)
{
    for (size_t i = 0; model_at(i); i++)
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(model_at(i)->name, model_at(j)->name);
}
