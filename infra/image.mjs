/**
 * Builds the image of infra/Dockerfile and tries it (infra/image/tryImage.mjs), without Docker: buildah builds it in a chroot,
 * from a base that
 * debootstrap makes of the machine's own Debian release and Node. Nothing is kept but what it prints.
 *
 * Where it cannot run (not Linux, not root, tools missing, no base to be had from Debian's mirror), it ends well with a line that
 * begins with WARNING. A build or a trial that fails ends it with 1.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

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

const run = (command, args, options = {}) => {
  const { error, status, stderr, stdout } = spawnSync(command, args, {
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
  run("debootstrap", ["--variant=minbase", release, folder, mirror])
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

const megabytes = (path) => Math.round(Number(run("du", ["-s", "--block-size=1K", path]).split("\t")[0]) / 1024)

/** What a probe downloads, at most: the image without the built-in PostgreSQL, compressed as registries do. */
const mostMegabytes = 120

const measure = (image) => {
  const packed = "tar --create --file - --directory \"$1\" --exclude ./app/node_modules --one-file-system . | gzip -6 | wc -c"
  const slim = Math.round(Number(run("sh", ["-c", packed, "sh", image])) / 2 ** 20)
  const [app, database] = [join(image, "app"), join(image, "app/node_modules")].map(megabytes)
  console.log(`The program's folder in the image has ${app} MB, of which PostgreSQL has ${database} MB`)
  console.log(`The image without PostgreSQL is ${slim} MB to download`)
  if (slim > mostMegabytes) {
    throw new Error(`The image without PostgreSQL is ${slim} MB to download, more than ${mostMegabytes} MB`)
  }
}

/** The commit that is built, if this is a clone. */
const commit = () => {
  const { status, stdout } = spawnSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"], { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : ""
}

const buildAndTry = (work) => {
  const began = performance.now()
  const took = () => `${Math.round((performance.now() - began) / 1000)} s`
  const storage = ["--root", join(work, "storage"), "--runroot", join(work, "run"), "--storage-driver", "vfs"]
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

  const container = buildah("from", ["localhost/belltower"])
  const image = buildah("mount", [container])
  measure(image)
  const config = JSON.parse(buildah("inspect", ["--type", "image", "localhost/belltower"])).Docker.config
  writeFileSync(
    join(work, "image.json"),
    JSON.stringify({ buildah: ["buildah", ...storage], container, config, root: image, work })
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
  console.log(run("unshare", inside, { timeout: 300_000, killSignal: "SIGKILL" }))
  console.log(`The image was built and tried in ${took()}`)
}

const missing = obstacles()
if (missing.length > 0) {
  console.warn(`WARNING: the image was not built, because this needs ${missing.join(", ")}`)
} else {
  const work = mkdtempSync(join(tmpdir(), "belltower-image-"))
  try {
    buildAndTry(work)
  } finally {
    // A mount that a killed build left would be emptied with the folder.
    const left = readFileSync("/proc/self/mounts", "utf8").split("\n").map((line) => line.split(" ")[1] ?? "")
    for (const path of left.filter((path) => path.startsWith(`${work}/`)).reverse()) run("umount", ["--lazy", path])
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}
