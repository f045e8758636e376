/** The file system of a helper: the system's programs and libraries, read-only, and Node. Nothing of ours is in it. */
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname } from "node:path"
import { bundledFile } from "../../domain/tools/BundledFile.ts"

/**
 * The folder in which the file system is built, in the helper's own mount namespace. It exists on every Linux, and nothing that we show is
 * in it.
 */
const root = "/sys"

/** Where Node is in the helper's file system. */
export const nodeInside = "/node"

const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"]

/** Files that Chromium reads beside its own folder. */
const forBrowsers = [
  ...["/etc/alternatives", "/etc/chromium", "/etc/chromium.d", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"],
  ...["/etc/opt/chrome", "/var/cache/fontconfig"]
]

const devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]

/** Files of pages, and the memory that their processes share. */
const scratchBytes = 512 * 1_048_576

export interface RootOptions {
  /** Chromium's path, for a root in which it can run; null for one in which nothing but Node runs. */
  readonly chromium: string | null
  /** Folders of ours that must stay hidden, also within a folder that is shown. The program's own is one in any case. */
  readonly hidden: ReadonlyArray<string>
}

/** Something of the machine that is shown, and where. */
interface Entry {
  readonly source: string
  readonly inside: string
  readonly kind: "folder" | "file" | "device" | "link"
}

const kindOf = (path: string): Entry["kind"] | null => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  return stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : stat.isCharacterDevice() ? "device" : "file"
}

const entryOf = (source: string, inside = source): ReadonlyArray<Entry> => {
  const kind = kindOf(source)
  return kind === null ? [] : [{ source, inside, kind }]
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

const entriesOf = ({ chromium }: RootOptions): ReadonlyArray<Entry> => {
  const browser = chromium === null ? [] : [...forBrowsers, ...devices, dirname(realpathSync(chromium))]
  return [
    ...[...system, ...browser.filter((path) => !isWithin(path, "/usr"))].flatMap((path) => entryOf(path)),
    ...entryOf(realpathSync(process.execPath), nodeInside)
  ]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A field of fstab(5). */
const field = (path: string): string =>
  path.replaceAll(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`)

/** Links stay links, so that each folder is shown once, and what hides a part of it hides it everywhere. */
const pathInside = ({ inside, kind, source }: Entry): string => {
  const at = quoted(root + inside)
  const within = `mkdir -p ${quoted(dirname(root + inside))}`
  if (kind === "folder") return `mkdir -p ${at}`
  return kind === "link" ? `${within}; ln -s ${quoted(readlinkSync(source))} ${at}` : `${within}; : > ${at}`
}

const options = { folder: "rbind,ro,nosuid,nodev", file: "bind,ro,nosuid,nodev", device: "bind,nosuid" } as const

/** Lines of fstab(5), in the order of the mounts. */
const mountsOf = (entries: ReadonlyArray<Entry>, hidden: ReadonlyArray<string>, hasBrowser: boolean): ReadonlyArray<string> => [
  ...entries.flatMap(({ inside, kind, source }) =>
    kind === "link" ? [] : [`${field(source)} ${root}${field(inside)} none ${options[kind]} 0 0`]
  ),
  ...hidden.filter((path) => entries.some(({ kind, source }) => kind === "folder" && isWithin(path, source)))
    .map((path) => `none ${root}${field(path)} tmpfs ro,nosuid,nodev,size=4k 0 0`),
  ...(hasBrowser
    ? [
      `none ${root}/tmp tmpfs mode=1777,nosuid,nodev,size=${scratchBytes} 0 0`,
      `none ${root}/proc proc nosuid,nodev,noexec 0 0`
    ]
    : [])
]

/**
 * Shell commands that build the file system in a new mount namespace and then run their arguments. With Chromium, these have the new
 * root. Otherwise they still have to enter it by `enterRoot`: a process in a changed root cannot make user namespaces (unshare(2)),
 * which Chromium needs and Node does not.
 */
export const buildRoot = (given: RootOptions): string => {
  const hasBrowser = given.chromium !== null
  const entries = entriesOf(given)
  const program = bundledFile("scriptSandbox.js")
  const ours = program === null ? given.hidden : [...given.hidden, dirname(program)]
  const hidden = ours.flatMap((path) => (kindOf(path) === null ? [] : [realpathSync(path)]))
  return [
    "set -e",
    `mount -t tmpfs -o mode=755,nosuid,nodev,size=256k none ${root}`,
    ...entries.map(pathInside),
    ...(hasBrowser ? [`mkdir ${root}/tmp ${root}/proc ${root}/old`] : []),
    `printf '%s\\n' ${mountsOf(entries, hidden, hasBrowser).map(quoted).join(" ")} > ${root}/fstab`,
    `mount --all --fstab ${root}/fstab`,
    `rm ${root}/fstab`,
    ...(hasBrowser ? ["ip link set lo up", `cd ${root}`, "pivot_root . old", "umount -l old", "rmdir old", "cd /"] : []),
    `mount -o remount,bind,ro,nosuid,nodev ${hasBrowser ? "/" : root}`,
    // The shell's own; helpers have an empty environment.
    "unset PWD OLDPWD",
    "exec \"$@\""
  ].join("\n")
}

/** The options by which `unshare` enters a root that its process cannot leave. */
export const enterRoot = [`--root=${root}`, "--wd=/"]
