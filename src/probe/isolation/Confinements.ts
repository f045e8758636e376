/** The ways to isolate a helper process on this machine, strongest first. */
import { buildRoot, enterRoot, nodeInside, type RootOptions } from "./PrivateRoot.ts"

/** A command that runs another one in isolation. */
export interface Confinement {
  /** For the log: what it gives a process. */
  readonly name: string
  /** `uid`: the id that the process gets, where it gets one. */
  readonly command: (uid: number) => ReadonlyArray<string>
  /** Where Node is in its file system. */
  readonly node: string
}

/** The limits of a process, as arguments of `prlimit`; `perUser` where it has an id that nothing else uses. */
export interface Limits {
  readonly always: ReadonlyArray<string>
  readonly perUser: ReadonlyArray<string>
}

const diesWithUs = ["setpriv", "--pdeathsig", "KILL"]
const bare = ["--no-new-privs", "--inh-caps=-all", "--pdeathsig", "KILL"]

/** Numeric ids: they need not have names. */
const otherUser = (uid: number): ReadonlyArray<string> => [
  ...["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--bounding-set=-all", ...bare, "--"]
]

/** The same id in a user namespace. There, no right is left to a process that is not its root. */
const mapped = (uid: number): ReadonlyArray<string> => [`--map-user=${uid}`, `--map-group=${uid}`]

const ownSpaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "--"]
const ownNetwork = ["--net", "--ipc", "--uts", "--"]

/** A new network has no loopback interface until it is up. */
const withLoopback = ["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]

const complete = (root: RootOptions, limits: ReadonlyArray<string>, isRoot: boolean): Confinement => {
  const enter = root.chromium === null ? enterRoot : []
  const built = ["sh", "-c", buildRoot(root), "sh"]
  return {
    name: "a user id, processes, files and a network of their own",
    node: nodeInside,
    command: isRoot
      ? (uid) => [
        ...[...diesWithUs, "--", "unshare", ...ownSpaces, ...built],
        ...[...(enter.length > 0 ? ["unshare", ...enter, "--"] : []), ...otherUser(uid), ...limits]
      ]
      : (uid) => [
        ...[...diesWithUs, "--", "unshare", "--map-root-user", ...ownSpaces, ...built],
        ...["unshare", ...mapped(uid), ...enter, "--", "setpriv", ...bare, "--", ...limits]
      ]
  }
}

/** For root. Without the right to mount, such as in a container. */
const ofRoot = (network: ReadonlyArray<string>, limits: ReadonlyArray<string>): ReadonlyArray<Confinement> => [
  {
    name: "a user id and a network of their own",
    node: process.execPath,
    command: (uid) => [...diesWithUs, "--", "unshare", ...ownNetwork, ...network, ...otherUser(uid), ...limits]
  },
  { name: "a user id of their own", node: process.execPath, command: (uid) => [...otherUser(uid), ...limits] }
]

const ofAnyUser = (network: ReadonlyArray<string>, limits: ReadonlyArray<string>): ReadonlyArray<Confinement> => [
  {
    name: "a network of their own",
    node: process.execPath,
    command: (uid) => [
      ...[...diesWithUs, "--", "unshare", "--map-root-user", ...ownNetwork, ...network],
      ...["unshare", ...mapped(uid), "--", "setpriv", ...bare, "--", ...limits]
    ]
  },
  { name: "no new rights", node: process.execPath, command: () => ["setpriv", ...bare, "--", ...limits] },
  { name: "an empty environment", node: process.execPath, command: () => [] }
]

/** All ways, strongest first; whether one works shows only when it is tried. */
export const confinements = (root: RootOptions, { always, perUser }: Limits): ReadonlyArray<Confinement> => {
  const isRoot = process.getuid?.() === 0
  const network = root.chromium === null ? [] : withLoopback
  const all = ["prlimit", ...always, ...perUser]
  return [complete(root, all, isRoot), ...(isRoot ? ofRoot(network, all) : ofAnyUser(network, ["prlimit", ...always]))]
}
