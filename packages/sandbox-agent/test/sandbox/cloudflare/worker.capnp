using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "objects", disk = (writable = true)),
    (name = "internet", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "Sandbox", uniqueKey = "sandbox", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "Sandbox", durableObjectNamespace = "Sandbox"),
    (name = "EDGE", fromEnvironment = "EDGE"),
  ],
);
