/* layer_name.h - the layer that a scope of a compiled program names.
 *
 * JAX wraps what the user has named in what it did to it.  The forward pass, its gradient and what
 * is computed again belong to one layer:
 *
 *     jit(step)/jvp(Model)/block1/dense/dot_general             Model/block1/dense
 *     jit(step)/transpose(jvp(Model))/block1/dense/dot_general  Model/block1/dense
 *     jit(step)/shard_map/jvp(jit(log_softmax))/sub             log_softmax
 *     jit(step)/while/body/closed_call/mul                      "": it has no name */
#ifndef RUN_RESULT_LAYER_NAME_H
#define RUN_RESULT_LAYER_NAME_H

/* The layer of an operation with this scope, to be freed; "" if it has none.  The first part, which
 * names the step, and the last, which names the operation, are left out.  O(characters). */
char *layer_name(const char *scope);

/* The label of a name: "*" in the place of each number, to be freed.  O(characters). */
char *layer_label(const char *name);

#endif
