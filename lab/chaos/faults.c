// A disk and a clock that can be made to fail, for one process: LD_PRELOAD this and set TESSERA_FAULTS to a file of two
// 64-bit numbers that can be changed at any time: what fails, and by how many seconds the clock is ahead.
// TESSERA_FAULTY is the folder whose files are on the failing disk; TESSERA_FAULTY_NAME is part of their names (".db").
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { FINE, SYNC_FAILS, DISK_FULL, SYNC_SAYS_FULL, NO_NEW_SPACE };

struct control {
  volatile int64_t mode;
  volatile int64_t ahead;
};

static struct control fine;
static struct control *control = &fine;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TESSERA_FAULTS");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) control = mapped;
  close(file);
}

static int on_faulty_disk(int file) {
  char link[64], path[4096];
  const char *folder = getenv("TESSERA_FAULTY");
  const char *name = getenv("TESSERA_FAULTY_NAME");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || !folder) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0 && strstr(path, name ? name : ".db") != NULL;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int sync_fault(int file) {
  int64_t mode = control->mode;
  if (mode != SYNC_FAILS && mode != SYNC_SAYS_FULL) return 0;
  return on_faulty_disk(file) ? (mode == SYNC_FAILS ? EIO : ENOSPC) : 0;
}

static int write_fault(int file) {
  return control->mode == DISK_FULL && on_faulty_disk(file) ? ENOSPC : 0;
}

// As a real full disk: what a file has already, can be written again.
static int growth_fault(int file, off64_t end) {
  struct stat now;
  if (control->mode != NO_NEW_SPACE || !on_faulty_disk(file) || fstat(file, &now) != 0) return write_fault(file);
  return end > now.st_size ? ENOSPC : 0;
}

#define FAIL(fault) \
  do { int found = (fault); if (found) { errno = found; return -1; } } while (0)

int fdatasync(int file) { FAIL(sync_fault(file)); return REAL(fdatasync)(file); }
int fsync(int file) { FAIL(sync_fault(file)); return REAL(fsync)(file); }

ssize_t write(int file, const void *bytes, size_t length) { FAIL(growth_fault(file, control->mode == NO_NEW_SPACE ? lseek(file, 0, SEEK_CUR) + (off64_t)length : 0)); return REAL(write)(file, bytes, length); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { FAIL(growth_fault(file, at + (off64_t)length)); return REAL(pwrite)(file, bytes, length, at); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { FAIL(growth_fault(file, at + (off64_t)length)); return REAL(pwrite64)(file, bytes, length, at); }
int fallocate(int file, int mode, off_t at, off_t length) { FAIL(write_fault(file)); return REAL(fallocate)(file, mode, at, length); }
int posix_fallocate(int file, off_t at, off_t length) { int fault = write_fault(file); return fault ? fault : REAL(posix_fallocate)(file, at, length); }

int clock_gettime(clockid_t which, struct timespec *now) {
  int result = REAL(clock_gettime)(which, now);
  if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += control->ahead;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = REAL(gettimeofday)(now, zone);
  if (result == 0) now->tv_sec += control->ahead;
  return result;
}

time_t time(time_t *out) {
  time_t now = REAL(time)(NULL) + control->ahead;
  if (out) *out = now;
  return now;
}
