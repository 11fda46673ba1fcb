// Records in which order a process writes, syncs and acknowledges: LD_PRELOAD this. TESSERA_JOURNAL is the file to record
// in, TESSERA_JOURNALED the database. Writes to the standard output are the acknowledgements.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, CUT, SYNC_BEGUN, SYNC_DONE, ACKNOWLEDGED };
enum { DATABASE, WAL, FOLDER, OTHER };

struct record {
  int64_t kind;
  int64_t file;
  /** The offset of a write, the length after a cut, the number of a sync. */
  int64_t at;
  int64_t length;
};

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int journal = -1;
static const char *database;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int64_t syncs;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TESSERA_JOURNAL");
  database = getenv("TESSERA_JOURNALED");
  if (path && database) journal = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static int which(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = journal < 0 ? -1 : readlink(link, path, sizeof path - 1);
  if (length < 0) return OTHER;
  path[length] = 0;
  size_t stem = strlen(database);
  if (strncmp(path, database, stem) == 0) return !path[stem] ? DATABASE : strcmp(path + stem, "-wal") == 0 ? WAL : OTHER;
  const char *name = strrchr(database, '/');
  return name && (size_t)length == (size_t)(name - database) && strncmp(path, database, length) == 0 ? FOLDER : OTHER;
}

static void note(int64_t kind, int64_t file, int64_t at, const void *bytes, int64_t length) {
  struct record record = {kind, file, at, length};
  struct iovec parts[] = {{&record, sizeof record}, {(void *)bytes, bytes ? (size_t)length : 0}};
  ssize_t written = REAL(writev)(journal, parts, 2);
  if (written != (ssize_t)(sizeof record + parts[1].iov_len)) abort();
}

/** Recorded before it is done: from then on it may be on the disk. */
static void note_write(int file, const void *bytes, size_t length, off_t at) {
  if (journal < 0 || file == journal) return;
  int is = file == STDOUT_FILENO ? OTHER : which(file);
  if (file != STDOUT_FILENO && is != DATABASE && is != WAL) return;
  pthread_mutex_lock(&turn);
  if (at < 0 && file != STDOUT_FILENO) at = lseek(file, 0, SEEK_CUR);
  note(file == STDOUT_FILENO ? ACKNOWLEDGED : WRITE, is, at, bytes, (int64_t)length);
  pthread_mutex_unlock(&turn);
}

ssize_t write(int file, const void *bytes, size_t length) { note_write(file, bytes, length, -1); return REAL(write)(file, bytes, length); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { note_write(file, bytes, length, at); return REAL(pwrite)(file, bytes, length, at); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { note_write(file, bytes, length, at); return REAL(pwrite64)(file, bytes, length, at); }

static void note_cut(int file, off_t length) {
  int is = which(file);
  if (is != DATABASE && is != WAL) return;
  pthread_mutex_lock(&turn);
  note(CUT, is, length, NULL, 0);
  pthread_mutex_unlock(&turn);
}

int ftruncate(int file, off_t length) { note_cut(file, length); return REAL(ftruncate)(file, length); }
int ftruncate64(int file, off64_t length) { note_cut(file, length); return REAL(ftruncate64)(file, length); }

/** What was written before it began is on the disk once it is done. */
static int synced(int file, int (*sync)(int)) {
  int is = which(file);
  if (is == OTHER) return sync(file);
  pthread_mutex_lock(&turn);
  int64_t number = ++syncs;
  note(SYNC_BEGUN, is, number, NULL, 0);
  pthread_mutex_unlock(&turn);
  int result = sync(file);
  if (result != 0) return result;
  pthread_mutex_lock(&turn);
  note(SYNC_DONE, is, number, NULL, 0);
  pthread_mutex_unlock(&turn);
  return 0;
}

int fsync(int file) { return synced(file, REAL(fsync)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)); }
