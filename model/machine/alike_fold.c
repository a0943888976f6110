/* The shortcut over chips: when one chip, or a corner of the mesh, stands for all. */
#include "machine/folds.h"

/* Is the image of a host's chips in the mirror all chips of one host?  A host has chips in a row
 * along x. */
static bool hosts_mirrored(const struct machine_spec *spec, const struct images *im)
{
    uint32_t chips = spec->slice.chips_per_host, row = im->n[0];

    return im->mesh.n[0] % chips == 0 && (row % chips == 0 || chips % row == 0);
}

/* Cores begin a program together, and hosts hand out input to all at once.  So only collectives can
 * distinguish chips, by what they send and over which links. */
uint32_t alike_fold(const struct machine_spec *spec, const struct task_program *program)
{
    uint32_t chips = spec_slice_chips(spec), can = IMAGES_ONE | IMAGES_MIRRORED;
    struct images im;
    struct mesh mesh;

    if (fault_any(&spec->fault) || program->stages > 1 || task_needs_client(program))
        return IMAGES_WHOLE;
    if (chips > spec->slice.chips_per_host && chips % spec->slice.chips_per_host)
        return IMAGES_WHOLE;
    spec_mesh(spec, &mesh);
    images_mirrored(&im, &mesh);
    if (spec->dcn.slices > 1 || images_count(&im) == chips || !hosts_mirrored(spec, &im))
        can &= ~(uint32_t)IMAGES_MIRRORED;
    for (uint32_t i = 0; i < program->n_calls; i++) {
        const struct schedule *s = &program->call[i].schedule;
        if (!schedule_uniform(s))
            can &= ~(uint32_t)IMAGES_ONE;
        if (!schedule_mirrored(s))
            can &= ~(uint32_t)IMAGES_MIRRORED;
    }
    return can;
}
