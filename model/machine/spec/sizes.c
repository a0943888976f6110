#include "machine/spec/sizes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "machine/spec/embedded.h"

#define MOST_SHAPES 16
#define VALUE 64
#define PREFIX "tpu-"

/* Names and counts of the machines of a rule. */
struct form {
    const char *section, *header; /* of a machine file */
    char joint;                   /* between the generation and the number */
    const char *what, *unit;
    bool joined; /* larger ones are several of the last shape, over the data centre's network */
};
static const struct form forms[] = {
    { "slices", "\n[slices]\n", '-', "slice", "TensorCore", false },
    { "boxes", "\n[boxes]\n", 'x', "box", "GPU", true },
};

struct shape {
    uint32_t number, dims, mesh[3];
    char source[VALUE];
};

/* The [slices] or the [boxes] of a generation. */
struct rule {
    const struct machine_file *file;
    const struct form *form;
    char also[VALUE]; /* names between blanks */
    uint32_t cores_per_chip, chips_per_host, torus_from, most;
    bool row; /* blocks stand behind each other along z */
    char cores_source[VALUE], host_source[VALUE], torus_source[VALUE], most_source[VALUE];
    struct shape shape[MOST_SHAPES];
    uint32_t n;
};

static const struct shape *last_shape(const struct rule *r)
{
    return &r->shape[r->n - 1];
}

/* "4x4x12" to sides, the third of which may be missing.  Returns their number, 0 if it is none. */
static uint32_t read_mesh(const char *text, uint32_t mesh[3])
{
    uint32_t n = 0;

    mesh[0] = mesh[1] = mesh[2] = 1;
    for (char *end; n < 3; text = end + 1) {
        if (!plain_is_digit(*text))
            return 0;
        unsigned long side = strtoul(text, &end, 10);
        if (side == 0 || side > 65536)
            return 0;
        mesh[n++] = (uint32_t)side;
        if (*end == '\0')
            return n;
        if (*end != 'x' && *end != 'X')
            return 0;
    }
    return 0;
}

static uint64_t count_chips(const uint32_t mesh[3])
{
    return (uint64_t)mesh[0] * mesh[1] * mesh[2];
}

static void take_number(uint32_t *to, char *source_to, const char *value, const char *source)
{
    *to = (uint32_t)strtoul(value, NULL, 10);
    memcpy(source_to, source, VALUE);
    BUG_ON(*to == 0);
}

static void take_line(struct rule *r, const char *key, const char *value, const char *source)
{
    if (strcmp(key, "also") == 0) {
        snprintf(r->also, sizeof r->also, "%s", value);
    } else if (strcmp(key, "cores_per_chip") == 0) {
        take_number(&r->cores_per_chip, r->cores_source, value, source);
    } else if (strcmp(key, "chips_per_host") == 0) {
        take_number(&r->chips_per_host, r->host_source, value, source);
    } else if (strcmp(key, "torus_from") == 0) {
        take_number(&r->torus_from, r->torus_source, value, source);
    } else if (strcmp(key, "most") == 0) {
        take_number(&r->most, r->most_source, value, source);
    } else if (strcmp(key, "row") == 0) {
        r->row = true;
        BUG_ON(strcmp(value, "z") != 0);
    } else {
        BUG_ON(r->n == MOST_SHAPES);
        struct shape *s = &r->shape[r->n++];
        take_number(&s->number, s->source, key, source);
        s->dims = read_mesh(value, s->mesh);
        BUG_ON(s->dims < (r->form->joined ? 1 : 2));
    }
}

static void take_text(char to[VALUE], const char *from, const char *end)
{
    BUG_ON(!end || end - from >= VALUE);
    memcpy(to, from, (size_t)(end - from));
    to[end - from] = '\0';
}

/* Cut "8 = 2x2x1 [cloud-tpu]" into what stands before " = ", before the tag, and the tag. */
static void cut_line(const char *line, char key[VALUE], char value[VALUE], char source[VALUE])
{
    take_text(key, line, strstr(line, " = "));
    line += strlen(key) + strlen(" = ");
    take_text(value, line, strchr(line, '['));
    line += strlen(value);
    take_text(source, line, strchr(line, '\n'));
}

/* The files are linked into the program, so a line that is wrong is a bug. */
static bool read_rule(struct rule *r, const struct machine_file *f)
{
    char key[VALUE], value[VALUE], source[VALUE];
    const struct form *form = forms;
    const char *line = NULL;

    for (size_t i = 0; !line && i < sizeof forms / sizeof *forms; i++)
        line = strstr(f->text, (form = &forms[i])->header);
    if (!line)
        return false;
    *r = (struct rule){ .file = f, .form = form };
    for (line = strchr(line + 1, '\n') + 1; *line && *line != '['; line = strchr(line, '\n') + 1) {
        if (*line == '\n' || *line == '#')
            continue;
        cut_line(line, key, value, source);
        value[strcspn(value, " ")] = strcmp(key, "also") == 0 ? ' ' : '\0';
        take_line(r, key, value, source);
    }
    BUG_ON(!r->n || !r->cores_per_chip || !r->chips_per_host);
    return true;
}

static bool find_rule(struct rule *r, const char *generation)
{
    for (size_t i = 0; i < machine_n_files; i++)
        if (strcmp(machine_files[i].stem, generation) == 0)
            return read_rule(r, &machine_files[i]);
    return false;
}

/* `blocks` as near to a cube as they go, the short sides first. */
static void arrange_blocks(uint32_t blocks, uint32_t side[3])
{
    side[0] = side[1] = 1;
    for (uint64_t s = 1; s * s * s <= blocks; s++)
        if (blocks % s == 0)
            side[0] = (uint32_t)s;
    blocks /= side[0];
    for (uint64_t s = 1; s * s <= blocks; s++)
        if (blocks % s == 0)
            side[1] = (uint32_t)s;
    side[2] = blocks / side[1];
}

static void print_mesh(char *out, size_t room, const uint32_t mesh[3], uint32_t dims)
{
    int n = snprintf(out, room, "%" PRIu32 "x%" PRIu32, mesh[0], mesh[1]);

    BUG_ON(dims < 2);
    if (dims == 3)
        snprintf(out + n, room - (size_t)n, "x%" PRIu32, mesh[2]);
}

/* The legal slice of `number`, its blocks as near to a cube as they go.  False if it is illegal. */
static bool make_slice(struct sizes_slice *s, const struct rule *r, uint32_t number)
{
    const struct shape *last = last_shape(r), *shape = last;

    *s = (struct sizes_slice){ .number = number, .blocks = 1 };
    for (uint32_t i = 0; i < r->n; i++)
        if (r->shape[i].number == number)
            shape = &r->shape[i];
    if (shape->number != number) {
        if (number < last->number || number > r->most || number % last->number)
            return false;
        s->blocks = number / last->number;
    }
    uint32_t side[3] = { 1, 1, 1 };
    if (r->row)
        side[2] = s->blocks;
    else if (!r->form->joined)
        arrange_blocks(s->blocks, side);
    for (int d = 0; d < 3; d++)
        s->mesh[d] = shape->mesh[d] * side[d];
    snprintf(s->generation, sizeof s->generation, "%s", r->file->stem);
    snprintf(s->name, sizeof s->name, "%s%c%" PRIu32, s->generation, r->form->joint, number);
    s->chips = (uint32_t)count_chips(s->mesh) * (r->form->joined ? s->blocks : 1);
    s->devices = s->chips * r->cores_per_chip;
    if (s->devices > number) /* one TensorCore of a chip of two */
        s->devices = number;
    return true;
}

const char *sizes_generation(size_t i)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (size_t f = 0; f < machine_n_files; f++)
            if (strstr(machine_files[f].text, forms[k].header) && i-- == 0)
                return machine_files[f].stem;
    return NULL;
}

bool sizes_is_rule(const char *section)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].section, section) == 0)
            return true;
    return false;
}

char *sizes_pattern(const char *generation)
{
    struct rule r;

    BUG_ON(!find_rule(&r, generation));
    return memory_format("%s%cN", generation, r.form->joint);
}

bool sizes_has_rule(const char *generation)
{
    struct rule r;

    return find_rule(&r, generation);
}

bool sizes_after(const char *generation, uint32_t number, struct sizes_slice *s)
{
    struct rule r;

    if (!find_rule(&r, generation))
        return false;
    for (uint32_t i = 0; i < r.n; i++)
        if (r.shape[i].number > number)
            return make_slice(s, &r, r.shape[i].number);
    uint32_t block = last_shape(&r)->number;
    BUG_ON(block == 0);
    return number < r.most && make_slice(s, &r, (number / block + 1) * block);
}

bool sizes_before(const char *generation, uint32_t number, struct sizes_slice *s)
{
    struct rule r;

    if (!find_rule(&r, generation))
        return false;
    uint32_t block = last_shape(&r)->number, most = r.most > block ? r.most : block;
    if (number > most)
        number = most + 1;
    if (number > block)
        return make_slice(s, &r, r.most > block ? (number - 1) / block * block : block);
    for (uint32_t i = r.n; i-- > 0;)
        if (r.shape[i].number < number)
            return make_slice(s, &r, r.shape[i].number);
    return false;
}

/* --- names ----------------------------------------------------------------------------------- */

/* May the name of this file begin `name`, or with `other` another name of its rule? */
static bool may_begin(const struct machine_file *f, const char *name, bool other)
{
    const char *stem = f->stem + (strncmp(f->stem, PREFIX, 4) == 0 ? 4 : 0);

    return other ? !!strstr(f->text, "\nalso = ") : plain_same_start(stem, name, strlen(stem));
}

/* Is `name` a name of the generation and its joint?  Returns what follows, or NULL. */
static const char *skip_generation(const struct rule *r, const char *name)
{
    const char *stem = r->file->stem + (strncmp(r->file->stem, PREFIX, 4) == 0 ? 4 : 0);
    size_t n = strlen(name);

    while (n > 0 && plain_lower(name[n - 1]) != r->form->joint)
        n--;
    if (n < 2)
        return NULL;
    if (strlen(stem) == n - 1 && plain_same_start(stem, name, n - 1))
        return name + n;
    for (const char *also = r->also; *also; also += strcspn(also, " ")) {
        also += strspn(also, " ");
        if (strcspn(also, " ") == n - 1 && plain_same_start(also, name, n - 1))
            return name + n;
    }
    return NULL;
}

/* Find the rule of a name, the number in it and the shape behind a colon, "" without one. */
static bool split_name(const char *name, struct rule *r, uint32_t *number, const char **shape)
{
    const char *digits = NULL, *rest = plain_same_start(name, PREFIX, 4) ? name + 4 : name;

    /* few are called by other names, which are looked for in the text of each file */
    for (size_t i = 0; !digits && i < 2 * machine_n_files; i++) {
        const struct machine_file *f = &machine_files[i % machine_n_files];
        if (may_begin(f, rest, i >= machine_n_files) && read_rule(r, f))
            digits = skip_generation(r, r->form->joined ? name : rest);
    }
    size_t n = digits ? strspn(digits, "0123456789") : 0;
    if (n == 0 || n > 9 || (digits[n] != '\0' && digits[n] != ':'))
        return false;
    *number = (uint32_t)strtoul(digits, NULL, 10);
    *shape = digits + n + (digits[n] == ':');
    return digits[n] == '\0' || **shape;
}

bool sizes_knows(const char *name)
{
    struct rule r;
    uint32_t number;
    const char *shape;

    return split_name(name, &r, &number, &shape);
}

static int refuse_number(const struct rule *r, const char *name, uint32_t number, struct err *err)
{
    struct sizes_slice below, above;
    bool has_below = sizes_before(r->file->stem, number, &below);
    bool has_above = sizes_after(r->file->stem, number, &above);
    char what[80];

    snprintf(what, sizeof what, "no %s of %s has %" PRIu32 " %s%s", r->form->what, r->file->stem,
             number, r->form->unit, number == 1 ? "" : "s");
    if (has_below && has_above)
        return err_set(err, ERR_UNKNOWN, "unknown machine '%s': %s; the nearest are %s and %s",
                       name, what, below.name, above.name);
    return err_set(err, ERR_UNKNOWN, "unknown machine '%s': %s; the %s is %s", name, what,
                   has_below ? "largest" : "smallest", has_below ? below.name : above.name);
}

static void sort_sides(uint32_t side[3])
{
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < 2; d++)
            if (side[d] > side[d + 1]) {
                uint32_t larger = side[d];
                side[d] = side[d + 1];
                side[d + 1] = larger;
            }
}

/* "4x4x16, 4x8x8": each way to arrange the blocks of `s`. */
static void list_shapes(const struct rule *r, const struct sizes_slice *s, char *out, size_t room)
{
    const struct shape *last = last_shape(r);
    size_t used = 0;

    *out = '\0';
    for (uint32_t a = 1; a * a * a <= s->blocks; a++)
        for (uint32_t b = a; s->blocks % a == 0 && b * b <= s->blocks / a; b++) {
            if (s->blocks / a % b)
                continue;
            uint32_t mesh[3] = { last->mesh[0] * a, last->mesh[1] * b,
                                 last->mesh[2] * (s->blocks / a / b) };
            char one[VALUE];
            print_mesh(one, sizeof one, mesh, 3);
            if (used + strlen(one) + 3 < room)
                used += (size_t)sprintf(out + used, "%s%s", used ? ", " : "", one);
        }
}

/* Give `s` the shape that `text` asks for: the same blocks in another arrangement. */
static int reshape_slice(struct sizes_slice *s, const struct rule *r, const char *text,
                         const char *name, struct err *err)
{
    const struct shape *last = last_shape(r);
    char shapes[256], given[VALUE];
    uint32_t mesh[3], dims = read_mesh(text, mesh);
    bool fits = dims == last->dims && count_chips(mesh) == s->chips;

    if (s->blocks > 1 && !r->row) {
        sort_sides(mesh);
        for (int d = 0; d < 3; d++)
            fits &= mesh[d] % last->mesh[d] == 0;
        list_shapes(r, s, shapes, sizeof shapes);
    } else {
        fits &= memcmp(mesh, s->mesh, sizeof mesh) == 0;
        print_mesh(shapes, sizeof shapes, s->mesh, last->dims);
    }
    if (!fits)
        return err_set(err, ERR_UNKNOWN,
                       "unknown machine '%s': no shape of %s, whose %" PRIu32 " chips may be %s",
                       name, s->name, s->chips, shapes);
    if (memcmp(mesh, s->mesh, sizeof mesh) != 0) {
        print_mesh(given, sizeof given, mesh, dims);
        size_t used = strlen(s->name);
        snprintf(s->name + used, sizeof s->name - used, ":%s", given);
        memcpy(s->mesh, mesh, sizeof mesh);
    }
    return 0;
}

int sizes_find(struct sizes_slice *s, const char *name, struct err *err)
{
    struct rule r;
    uint32_t number;
    const char *shape;

    BUG_ON(!split_name(name, &r, &number, &shape));
    if (!make_slice(s, &r, number))
        return refuse_number(&r, name, number, err);
    if (*shape && r.form->joined)
        return err_set(err, ERR_UNKNOWN, "unknown machine '%s': a box has no shape; there is %s",
                       name, s->name);
    return *shape ? reshape_slice(s, &r, shape, name, err) : 0;
}

/* The rule of the generation of a slice as XLA's compiler calls it, "v5e:2x2". */
static bool find_topology(struct rule *r, const char *text)
{
    size_t n = strcspn(text, ":");
    uint32_t number;
    const char *shape;

    if (text[n] != ':' || n >= SIZES_NAME)
        return false;
    char *name = memory_format("%.*s-1", (int)n, text); /* any number of cores */
    bool known = split_name(name, r, &number, &shape);
    free(name);
    return known;
}

bool sizes_devices(struct sizes_slice *s, const char *name, uint64_t devices)
{
    struct rule r;
    uint32_t number;
    const char *shape;

    if (!split_name(name, &r, &number, &shape) && !find_topology(&r, name))
        return false;
    for (number = 0; sizes_after(r.file->stem, number, s); number = s->number)
        if (s->devices >= devices)
            return s->devices == devices;
    return false;
}

bool sizes_topology(struct sizes_slice *s, const char *text)
{
    uint32_t mesh[3] = { 1, 1, 1 }, number;
    const char *at = text + strcspn(text, ":");
    struct rule r;

    for (int d = 0; d < 3 && *at && strspn(at + 1, "0123456789"); d++) {
        mesh[d] = (uint32_t)strtoul(at + 1, NULL, 10);
        at += 1 + strspn(at + 1, "0123456789");
    }
    bool known = *at == '\0' && find_topology(&r, text);
    sort_sides(mesh);
    struct sizes_slice each;
    for (number = 0; known && sizes_after(r.file->stem, number, &each); number = each.number) {
        uint32_t own[3] = { each.mesh[0], each.mesh[1], each.mesh[2] };
        sort_sides(own);
        if (memcmp(own, mesh, sizeof own) != 0)
            continue;
        *s = each;
        return each.devices == each.chips * r.cores_per_chip; /* v3-1 leaves a core idle */
    }
    return false;
}

char *sizes_text(const struct sizes_slice *s)
{
    struct memory_text text;
    struct rule r;

    BUG_ON(!find_rule(&r, s->generation));
    const struct shape *shape = last_shape(&r);
    const char *source = r.most_source;
    bool whole = s->blocks == 1, joined = r.form->joined;
    for (uint32_t i = 0; i < r.n; i++)
        if (r.shape[i].number == s->number)
            source = r.shape[i].source;
    const char *cores_source = joined ? shape->source : whole ? "[cloud-tpu]" : source;
    memory_text_begin(&text);
    fprintf(text.out, "[machine]\nbase = %s\n\n[slice]\ncores = %" PRIu32 " %s\n", s->generation,
            joined ? s->devices / s->blocks : s->devices, cores_source);
    fprintf(text.out, "cores_per_chip = %" PRIu32 " %s\nchips_per_host = %" PRIu32 " %s\n",
            r.cores_per_chip, r.cores_source, r.chips_per_host, r.host_source);
    for (uint32_t d = 0; d < shape->dims; d++)
        fprintf(text.out, "mesh_%c = %" PRIu32 " %s\n", "xyz"[d], s -> mesh[d],
                joined ? shape -> source : source);
    if (r.torus_from && s->number >= r.torus_from)
        fprintf(text.out, "\n[ici]\nalgorithm = torus %s\n", r.torus_source);
    if (joined && !whole)
        fprintf(text.out, "\n[dcn]\nslices = %" PRIu32 " %s\n", s->blocks, source);
    return memory_text_end(&text);
}
