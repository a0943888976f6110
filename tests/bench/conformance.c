/* conformance - print what our kernel logs for the models of tests/conformance; `make test-systemc`
 * compares it with what SystemC logs.  usage: conformance [MODEL | all | - | random=N] */
#include "tests/conformance/kernel.h"
#include "tests/conformance/model.h"

int main(int argc, char **argv)
{
    model_print(argc > 1 ? argv[1] : "all", 0, kernel_play);
    return 0;
}
