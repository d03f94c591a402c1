// The file that tfjs-node opens. libtensorflow writes notices to stderr while it is being loaded, before any of its
// settings can be reached, and its AVX-512 routines cannot bear a signal (docs/adr/0002). So this file first loads its framework library with stderr closed, sets the log level there,
// and then hands over to the real addon beside it. Built by infra/native/compile.ts, which gives the macros:
//   FRAMEWORK_LIBRARY  path of libtensorflow_framework, relative to this file
//   KERNELS_ADDON      file name of the real addon
//   LOG_SYMBOL         mangled name of absl::SetMinLogLevel(LogSeverityAtLeast) in that framework library
#include <dlfcn.h>
#include <fcntl.h>
#include <node_api.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

namespace {

std::string OwnFolder() {
  Dl_info info;
  char resolved[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&OwnFolder), &info) || !realpath(info.dli_fname, resolved)) return ".";
  const std::string path(resolved);
  return path.substr(0, path.rfind('/'));
}

// Sends what is written to stderr nowhere until it goes out of scope.
class MutedStderr {
 public:
  MutedStderr() : kept_(dup(STDERR_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (kept_ >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) close(nowhere);
  }
  ~MutedStderr() {
    if (kept_ < 0) return;
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }

 private:
  const int kept_;
};

// With TF_CPP_MIN_LOG_LEVEL unset or 0, everything is said as usual.
void LoadFrameworkQuietly(const std::string& folder) {
  const char* text = std::getenv("TF_CPP_MIN_LOG_LEVEL");
  const int level = text ? std::atoi(text) : 0;
  if (level < 1) return;
  const MutedStderr muted;
  void* framework = dlopen((folder + "/" FRAMEWORK_LIBRARY).c_str(), RTLD_LAZY | RTLD_LOCAL);
  void* symbol = framework ? dlsym(framework, LOG_SYMBOL) : nullptr;
  if (symbol) reinterpret_cast<void (*)(int)>(symbol)(level);
}

void* AwaitSignals(void*) {
  for (;;) pause();
}

// Some AVX-512 kernels keep data below the stack pointer, where a signal's frame overwrites it. So this thread, which
// computes, and those that TensorFlow starts from it, take no signals; a thread that does nothing else takes them, and
// libuv passes them on as ever. Faults stay with whom they concern.
void KeepSignalsOffThisThread() {
  pthread_t listener;
  if (pthread_create(&listener, nullptr, AwaitSignals, nullptr) != 0) return;
  pthread_detach(listener);
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&signals, fault);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

extern "C" NAPI_MODULE_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  KeepSignalsOffThisThread();
  const std::string folder = OwnFolder();
  LoadFrameworkQuietly(folder);
  void* addon = dlopen((folder + "/" KERNELS_ADDON).c_str(), RTLD_LAZY | RTLD_LOCAL);
  void* init = addon ? dlsym(addon, "napi_register_module_v1") : nullptr;
  if (!init) {
    const char* why = dlerror();
    napi_throw_error(env, nullptr, why ? why : "the TensorFlow addon has no entry point");
    return nullptr;
  }
  return reinterpret_cast<napi_value (*)(napi_env, napi_value)>(init)(env, exports);
}
