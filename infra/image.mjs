/**
 * Builds the image of infra/Dockerfile and tries it (infra/image/tryImage.mjs), without Docker: buildah builds it in a chroot, from a base
 * that debootstrap makes of the machine's own Debian release and Node. Nothing is kept but what it prints.
 *
 * Where it cannot run (not Linux, not root, tools missing, no base to be had from Debian's mirror), it ends well with a line that
 * begins with WARNING. A build or a trial that fails ends it with 1.
 */
import { execFile, spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")

/** Names of missing requirements for building an image here; empty if there are none. */
const obstacles = () => {
  if (process.platform !== "linux") return ["Linux"]
  const tools = ["buildah", "debootstrap", "ip", "unshare"].filter((tool) =>
    spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0
  )
  if (tools.length > 0) return tools
  // Root in a container may not do what root does.
  const isRoot = process.getuid() === 0 && spawnSync("unshare", ["--mount", "--net", "true"]).status === 0
  return isRoot ? [] : ["root with the right to make namespaces"]
}

/** Runs a program of the build, which yields to all others: only the trial has deadlines. */
const run = (command, args, options = {}) => {
  const { error, status, stderr, stdout } = spawnSync("nice", ["-n", "10", command, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    ...options
  })
  if (error !== undefined) throw error
  if (status !== 0) {
    throw new Error(`${command} ${args.slice(0, 3).join(" ")} ended with ${status}:\n${stdout}${stderr}`.slice(-6000))
  }
  return stdout.trim()
}

/** The mirror and release that the machine's own apt uses. */
const debian = () => {
  const release = run("sh", ["-c", ". /etc/os-release && echo $VERSION_CODENAME"])
  const targets = run("apt-get", ["indextargets", "--format", "$(SUITE) $(CODENAME) $(REPO_URI)", "Created-By: Packages"])
  const own = targets.split("\n").map((line) => line.split(" ")).find(([suite, codename]) =>
    suite === release || codename === release
  )
  if (own === undefined) throw new Error(`apt knows no mirror of ${release}`)
  return { release, mirror: own[2] }
}

/** Makes the contents of the public Node image: Debian, the user `node`, Node and npm. */
const makeBase = (folder) => {
  const { mirror, release } = debian()
  run("debootstrap", ["--foreign", "--variant=minbase", release, folder, mirror])
  // As in the public images: dpkg waits for no disk.
  writeFileSync(join(folder, "etc/dpkg/dpkg.cfg.d/unsafe-io"), "force-unsafe-io\n")
  run("chroot", [folder, "/debootstrap/debootstrap", "--second-stage"])
  run("chroot", [folder, "useradd", "--create-home", "--uid", "1000", "--user-group", "--shell", "/bin/bash", "node"])
  const local = join(folder, "usr/local")
  cpSync(process.execPath, join(local, "bin/node"))
  const npm = dirname(dirname(realpathSync(run("sh", ["-c", "command -v npm"]))))
  cpSync(npm, join(local, "lib/node_modules/npm"), { recursive: true })
  writeFileSync(join(local, "bin/npm"), "#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js \"$@\"\n", {
    mode: 0o755
  })
  rmSync(join(folder, "var/cache/apt"), { recursive: true, force: true })
  mkdirSync(join(folder, "var/cache/apt/archives/partial"), { recursive: true })
}

/** The machine's settings of npm and apt, so that the build reaches the same registries; the image has none of them. */
const registrySettings = () => {
  const npm = (name) => run("npm", ["config", "get", name])
  const mounts = [
    [npm("userconfig"), "/root/.npmrc"],
    [npm("globalconfig"), "/usr/local/etc/npmrc"],
    ["/etc/ssl/certs", "/etc/ssl/certs"],
    ["/etc/apt", "/etc/apt"]
  ]
  return mounts.filter(([path]) => existsSync(path)).flatMap(([path, inside]) => ["--volume", `${path}:${inside}:ro`])
}

/** The largest download for apis, runners and probes, MB. */
const mostMegabytes = 120

/** The same size as docs/figures.md states it. A Debian or Node of another release may add a tenth. */
const statedMegabytes = () => {
  const figures = readFileSync(join(root, "docs/figures.md"), "utf8")
  return Number(/\| the image without PostgreSQL, compressed \| (\d+) MB/.exec(figures)?.[1])
}

/** The size of a folder packed as registries keep it, MB. */
const packed = async (folder, ...excluded) => {
  const command = "tar --create --file - --directory \"$@\" --one-file-system . | gzip -6 | wc -c"
  const exclude = excluded.map((path) => `--exclude=${path}`)
  const { stdout } = await promisify(execFile)("nice", ["-n", "10", "sh", "-c", command, "sh", folder, ...exclude])
  return Math.round(Number(stdout) / 2 ** 20)
}

const measure = async (image) => {
  const postgres = join(image, "app/node_modules")
  const [slim, database] = await Promise.all([packed(image, "./app/node_modules"), packed(postgres)])
  console.log(`The image without PostgreSQL is ${slim} MB to download, with it ${slim + database} MB`)
  const stated = statedMegabytes()
  if (slim > mostMegabytes || !(slim <= stated * 1.1)) {
    throw new Error(`The image without PostgreSQL is ${slim} MB, stated are ${stated} MB, and ${mostMegabytes} MB are the most`)
  }
}

/** The commit that is built, if this is a clone. */
const commit = () => {
  const { status, stdout } = spawnSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"], { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : ""
}

/** Lays layers over each other where the kernel can; otherwise each is a copy, which takes several gigabytes and minutes. */
const storageDriver = (work) => {
  const [lower, upper, temporary, merged] = ["lower", "upper", "temporary", "merged"].map((name) => join(work, "overlay", name))
  for (const folder of [lower, upper, temporary, merged]) mkdirSync(folder, { recursive: true })
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${temporary}`
  const isMounted = spawnSync("mount", ["-t", "overlay", "overlay", "-o", options, merged]).status === 0
  if (isMounted) run("umount", [merged])
  return isMounted ? "overlay" : "vfs"
}

/** Runs a program with its output in this one's, for ten minutes at most. */
const shown = (command, args) =>
  new Promise((resolve, reject) => {
    const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000, killSignal: "SIGKILL" }
    spawn(command, args, options).on("error", reject).on("close", (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`The image failed when it was tried: ended with ${code ?? signal}`)))
  })

const buildAndTry = async (work) => {
  const began = performance.now()
  const took = () => `${Math.round((performance.now() - began) / 1000)} s`
  const storage = ["--root", join(work, "storage"), "--runroot", join(work, "run"), "--storage-driver", storageDriver(work)]
  const buildah = (command, args) => run("buildah", [...storage, command, ...args])

  const scratch = buildah("from", ["scratch"])
  try {
    makeBase(buildah("mount", [scratch]))
  } catch (error) {
    console.warn(`WARNING: the image was not built, because there is no base for it: ${error.message}`)
    return
  }
  buildah("commit", ["--quiet", "--rm", "--disable-compression", scratch, "localhost/node"])
  console.log(`The base was made after ${took()}`)

  const given = ["--build-arg", "NODE_IMAGE=localhost/node", "--build-arg", `COMMIT=${commit()}`]
  const build = ["--isolation", "chroot", "--format", "docker", ...given, ...registrySettings()]
  buildah("build", [...build, "--disable-compression", "--file", "infra/Dockerfile", "--tag", "localhost/belltower", "."])
  console.log(`The image was built after ${took()}`)

  const mounted = () => {
    const container = buildah("from", ["localhost/belltower"])
    return { container, root: buildah("mount", [container]) }
  }
  const config = JSON.parse(buildah("inspect", ["--type", "image", "localhost/belltower"])).Docker.config
  writeFileSync(
    join(work, "image.json"),
    JSON.stringify({ buildah: ["buildah", ...storage], ...mounted(), config, work })
  )
  // In a network of its own, whose ports are all free, as they are in a container; all processes end with the first.
  const inside = [
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
    "sh",
    "-c",
    "ip link set lo up && exec node \"$@\"",
    "try",
    "infra/image/tryImage.mjs",
    join(work, "image.json")
  ]
  // Its size is that of files that no trial has touched.
  const both = [measure(mounted().root), shown("unshare", inside)]
  // The files stay until neither needs them, whichever fails.
  await Promise.allSettled(both)
  await Promise.all(both)
  console.log(`The image was built and tried in ${took()}`)
}

const missing = obstacles()
if (missing.length > 0) {
  console.warn(`WARNING: the image was not built, because this needs ${missing.join(", ")}`)
} else {
  const work = mkdtempSync(join(tmpdir(), "belltower-image-"))
  try {
    await buildAndTry(work)
  } finally {
    // A mount that a killed build left would be emptied with the folder.
    const left = readFileSync("/proc/self/mounts", "utf8").split("\n").map((line) => line.split(" ")[1] ?? "")
    for (const path of left.filter((path) => path.startsWith(`${work}/`)).reverse()) run("umount", ["--lazy", path])
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}
