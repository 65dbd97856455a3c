/* Where fields lie. The list of fields is made from those of the crate, as `fields.h`. */
#include <stddef.h>
#include "program.h"

#define FIELD(owner, field) printf(#owner " " #field " %zu\n", offsetof(struct owner, field));
#define SIZE(owner) printf(#owner " size %zu\n", sizeof(struct owner));

int main(void)
{
#include "fields.h"
    return 0;
}
