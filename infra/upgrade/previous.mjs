/**
 * The release before this one, built from the repository's history, so that tests can run both side by side. As a program it builds it
 * and ends with 1 where it cannot.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")

/** Its version, commit and newest migration. Whoever begins a release sets them to those of the one before. */
export const previous = JSON.parse(readFileSync(join(here, "previous.json"), "utf8"))

const git = (...words) => run("git", ["-c", "safe.directory=*", ...words], { cwd: root })

/** Why it cannot be built here; null if it can. */
export const missing = () =>
  git("cat-file", "-e", `${previous.commit}^{commit}`).then(
    () => null,
    () => `the history here lacks ${previous.commit}, which is ${previous.version}. Fetch the whole history first.`
  )

/** Whether both releases want the same packages; their own versions, which the lock files repeat, do not count. */
const hasSamePackages = (folder) => {
  const lockOf = (from) =>
    readFileSync(join(from, "package-lock.json"), "utf8").replaceAll(/"version": "\d+\.\d+\.\d+-rc\.\d+"/g, "")
  return lockOf(folder) === lockOf(root)
}

const makeIn = async (folder) => {
  mkdirSync(folder, { recursive: true })
  const archive = `${folder}.tar`
  await git("archive", "--output", archive, previous.commit)
  await run("tar", ["-x", "-f", archive, "-C", folder])
  rmSync(archive)
  if (hasSamePackages(folder)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  else await run("npm", ["ci", "--loglevel=error"], { cwd: folder, maxBuffer: 2 ** 24 })
  await run(process.execPath, ["infra/build.mjs"], { cwd: folder, maxBuffer: 2 ** 24 })
  // The bundle holds all that servers and probes need.
  rmSync(join(folder, "node_modules"), { recursive: true })
}

/** Builds it once, below `.local`; the path of its program. */
export const buildPrevious = async () => {
  const folder = join(root, ".local/releases", previous.commit)
  const program = join(folder, "dist/belltower.js")
  if (existsSync(program)) return program
  const unfinished = `${folder}.${process.pid}`
  try {
    await makeIn(unfinished)
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return program
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lacks = await missing()
  if (lacks === null) await buildPrevious()
  else {
    console.error(`Upgrades are not tried: ${lacks}`)
    process.exitCode = 1
  }
}
