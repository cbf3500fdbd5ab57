#ifndef CMEMORY_H
#define CMEMORY_H

#include <stddef.h>

/// Bytes of the heap that are in use; 0 where the C library does not say.
size_t cmemory_heap_in_use(void);

/// Gives what the heap does not use back to the system, where that can be asked for.
void cmemory_trim(void);

#endif
