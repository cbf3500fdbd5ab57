#include "CMemory.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>

size_t cmemory_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void cmemory_trim(void) { malloc_trim(0); }

#elif defined(__APPLE__)
#include <malloc/malloc.h>

size_t cmemory_heap_in_use(void) { return mstats().bytes_used; }

void cmemory_trim(void) { malloc_zone_pressure_relief(NULL, 0); }

#else

size_t cmemory_heap_in_use(void) { return 0; }

void cmemory_trim(void) {}

#endif
