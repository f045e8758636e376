/**
 * Runs all tests, for CI. Prints one line for each test that fails and nothing else, so that a log which is cut still says what is wrong.
 *
 * A file that fails is run once more, alone: machines that run CI are shared, and a test that starts a cluster beside another
 * may run out of time.
 * A second failure fails the run. A test that passes alone is named in a warning, so that somebody sees and fixes it.
 */
import { spawn } from "node:child_process"
import { mkdtemp, open, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

// More files than this are not a matter of chance.
const filesToRepeat = 8

const root = join(import.meta.dirname, "..")
const work = await mkdtemp(join(tmpdir(), "belltower-tests-"))

/** Runs the tests; answers with vitest's report, its exit code and the end of its output. */
const run = async (name, args) => {
  const reportFile = join(work, `${name}.json`)
  const logFile = join(work, `${name}.log`)
  const log = await open(logFile, "w")
  const child = spawn(
    "npm",
    ["test", "--", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`, ...args],
    {
      cwd: root,
      stdio: ["ignore", log.fd, log.fd]
    }
  )
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("exit", (code) => resolve(code ?? 1))
  })
  await log.close()
  const text = await readFile(reportFile, "utf8").catch(() => undefined)
  const end = plain(await readFile(logFile, "utf8")).trimEnd().split("\n").slice(-25)
  return { code, report: text === undefined ? undefined : JSON.parse(text), end: end.map((line) => line.slice(0, 200)) }
}

const plain = (text) => text.replace(/\x1b\[[0-9;]*m/g, "")

const firstLine = (message) => plain(message).trim().split("\n", 1)[0].slice(0, 200)

/** Each failed test as a line; a file that could not be loaded is one line. */
const failures = (report) =>
  report.testResults
    .filter(({ status }) => status === "failed")
    .map(({ assertionResults, message, name }) => {
      const file = relative(root, name)
      const failed = assertionResults.filter(({ status }) => status === "failed")
      const lines = failed.map(
        ({ failureMessages, fullName }) => `${file} > ${fullName.slice(0, 150)}: ${firstLine(failureMessages[0] ?? "")}`
      )
      return { file, lines: lines.length === 0 ? [`${file}: ${firstLine(message)}`] : lines }
    })

const seconds = (ms) => `${Math.round(ms / 1000)} s`

/** Files as a list, each with a time of it, the longest first. */
const listed = (report, count, timeOf) =>
  report.testResults.map((file) => ({ name: relative(join(root, "test"), file.name), ms: timeOf(file) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, count)
    .map(({ ms, name }) => `${name} ${seconds(ms)}`)
    .join(", ")

/** Where a faster run begins: the files that took longest, and those for which it waited at its end. */
const tellTimes = (report) => {
  console.log(`The slowest files: ${listed(report, 12, ({ endTime, startTime }) => endTime - startTime)}`)
  console.log(`The last files, and when they began: ${listed(report, 8, ({ startTime }) => startTime - report.startTime)}`)
}

const state = async () => {
  const first = await run("first", process.argv.slice(2))
  if (first.report === undefined) return { code: 1, lines: ["The tests ended without a report:", ...first.end] }
  const counts = `${first.report.numPassedTests} of ${first.report.numTotalTests} tests passed`
  tellTimes(first.report)
  const failed = failures(first.report)
  if (failed.length === 0) {
    return first.code === 0
      ? { code: 0, lines: [counts] }
      : { code: 1, lines: [counts, "It failed outside a test:", ...first.end] }
  }
  const lines = failed.flatMap(({ lines }) => lines)
  if (failed.length > filesToRepeat) return { code: 1, lines: [counts, ...lines.map((line) => `failed: ${line}`)] }
  const again = await run("again", ["--minWorkers=1", "--maxWorkers=1", ...failed.map(({ file }) => file)])
  if (again.code === 0) return { code: 0, lines: [counts, ...lines.map((line) => `WARNING: failed, then passed alone: ${line}`)] }
  return {
    code: 1,
    lines: [
      counts,
      ...(again.report === undefined ? again.end : failures(again.report).flatMap(({ lines }) => lines)).map(
        (line) => `failed twice: ${line}`
      ),
      ...lines.map((line) => `failed: ${line}`)
    ]
  }
}

try {
  const { code, lines } = await state()
  for (const line of lines) console.log(line)
  process.exitCode = code
} finally {
  await rm(work, { recursive: true, force: true })
}
