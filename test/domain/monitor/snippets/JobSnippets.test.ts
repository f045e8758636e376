/** The lines that people paste are valid, and report the start, the exit code and the output of a job. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { execFile, spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { parseAllDocuments } from "yaml"
import { expectedTimes } from "../../../../src/domain/monitor/schedule/Schedule.ts"
import { cronLine, onCalendar } from "../../../../src/domain/monitor/snippets/JobRhythm.ts"
import { type Job, jobSnippets } from "../../../../src/domain/monitor/snippets/JobSnippets.ts"

const folder = mkdtempSync(join(tmpdir(), "belltower-snippets-"))
afterAll(() => rmSync(folder, { recursive: true }))

const nightly: Job = {
  url: "https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n",
  periodSec: null,
  schedule: "30 2 * * *",
  timezone: "Europe/Berlin"
}
const snippet = (name: string, job = nightly) => jobSnippets(job).find(([own]) => own === name)?.[1] ?? ""

const hasTool = (tool: string) => spawnSync(tool, ["--version"]).error === undefined

/** The exit code of a tool for a file, and what it said. */
const judged = (file: string, text: string, tool: string, ...before: ReadonlyArray<string>) => {
  const path = join(folder, file)
  writeFileSync(path, text)
  const { status, stderr, stdout } = spawnSync(tool, [...before, path], { encoding: "utf8" })
  return [status, stdout + stderr]
}

/** The command of the only line that is no comment. */
const commandIn = (crontab: string) => /^(?:#.*\n)*(?:\S+ ){5}(.*)$/.exec(crontab)?.[1] ?? ""

describe("the snippets of a job", () => {
  it("are there for each program, by a period and by a schedule", () => {
    const names = [
      "crontab",
      "systemd timer",
      "Kubernetes",
      "GitHub Actions",
      "Shell",
      "PowerShell",
      "Python",
      "Node",
      "Go",
      "PHP"
    ]
    expect(jobSnippets(nightly).map(([name]) => name)).toEqual(names)
    expect(jobSnippets({ ...nightly, schedule: null, timezone: null, periodSec: 3600 }).map(([name]) => name)).toEqual(names)
    // Neither cron nor Kubernetes knows calendar expressions.
    expect(jobSnippets({ ...nightly, schedule: "Mon..Fri 18:00" }).map(([name]) => name)).toEqual([
      "systemd timer",
      ...names.slice(4)
    ])
    expect(snippet("systemd timer", { ...nightly, schedule: "Mon..Fri 18:00" })).toContain(
      "OnCalendar=Mon..Fri 18:00 Europe/Berlin\n"
    )
  })

  it("are shell that sh reads", () => {
    expect(judged("job.sh", snippet("Shell"), "sh", "-n")).toEqual([0, ""])
    expect(snippet("crontab")).not.toContain("%")
    expect(judged("cron.sh", commandIn(snippet("crontab")), "sh", "-n")).toEqual([0, ""])
  })

  it("are YAML, and the schedule and zone of Kubernetes are those of the monitor", () => {
    for (const name of ["Kubernetes", "GitHub Actions"]) {
      const [document] = parseAllDocuments(snippet(name))
      expect([name, document?.errors]).toEqual([name, []])
    }
    const job = parseAllDocuments(snippet("Kubernetes"))[0]?.toJS()
    expect(job.spec).toMatchObject({ schedule: "30 2 * * *", timeZone: "Europe/Berlin" })
    const [container] = job.spec.jobTemplate.spec.template.spec.containers
    expect(judged("pod.sh", container.args[0], "sh", "-n")).toEqual([0, ""])
    const workflow = parseAllDocuments(snippet("GitHub Actions"))[0]?.toJS()
    expect(workflow.on.schedule).toEqual([{ cron: "30 2 * * *" }])
  })

  it("are JavaScript", () => {
    expect(judged("job.mjs", snippet("Node"), process.execPath, "--check")).toEqual([0, ""])
  })

  it.skipIf(!hasTool("python3"))("are Python", () => {
    expect(judged("job.py", snippet("Python"), "python3", "-m", "py_compile")).toEqual([0, ""])
  })

  it.skipIf(!hasTool("gofmt"))("are Go as gofmt writes it", () => {
    expect(judged("job.go", `${snippet("Go")}\n`, "gofmt", "-l", "-e")).toEqual([0, ""])
  })

  it.skipIf(!hasTool("php"))("are PHP", () => {
    expect(judged("job.php", snippet("PHP"), "php", "-l")[0]).toBe(0)
  })

  it.skipIf(!hasTool("systemd-analyze"))("are times that systemd reads", () => {
    for (const schedule of ["30 2 * * *", "*/15 * * * *", "0 9-17/2 * * 1-5", "5 4 1,15 */3 *", "@daily", "0 0 * * 0"]) {
      const calendar = onCalendar({ ...nightly, schedule }) ?? ""
      expect([calendar, spawnSync("systemd-analyze", ["calendar", calendar]).status]).toEqual([calendar, 0])
    }
  })
})

/** The requests that a snippet makes while its job prints a line and ends with `code`. */
const reportsOf = async (name: string, code: number): Promise<ReadonlyArray<readonly [path: string, body: string]>> => {
  const reports: Array<readonly [string, string]> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part) => (body += String(part)))
    request.on("end", () => {
      reports.push([request.url ?? "", body])
      response.end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hb/token`
  const job = join(folder, `job-${code}`)
  writeFileSync(job, `#!/bin/sh\necho "disk full"\nexit ${code}\n`)
  chmodSync(job, 0o755)
  const text = snippet(name, { ...nightly, url }).replaceAll("/usr/local/bin/job", job)
  const script = name === "crontab" ? commandIn(text) : text
  await new Promise<void>((resolve) => execFile("sh", ["-c", script], () => resolve()))
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return reports
}

describe.skipIf(!hasTool("curl"))("a job of a snippet", () => {
  it.each(["crontab", "Shell"])("reports its start, its exit code and what it printed, from %s", async (name) => {
    for (const code of [0, 3]) {
      const [start, end, ...more] = await reportsOf(name, code)
      expect(start?.[0]).toMatch(/^\/hb\/token\/start\?rid=[\w-]+$/)
      expect(end).toEqual([start?.[0].replace("start", String(code)), "disk full\n"])
      expect(more).toEqual([])
    }
  })
})

it("writes a line of cron for systemd with the same times", () => {
  const field = (most: number, least: number) =>
    fc.oneof(
      fc.constant("*"),
      fc.integer({ min: least, max: most }).map(String),
      fc.uniqueArray(fc.integer({ min: least, max: most }), { minLength: 2, maxLength: 3 }).map((all) => all.join(",")),
      fc.constantFrom("*/5", "*/2", `${least + 1}-${least + 3}`)
    )
  const day = fc.constantFrom("*", "1-5", "0", "2,4")
  let compared = 0
  fc.assert(
    fc.property(field(59, 0), field(23, 0), field(28, 1), field(12, 1), day, (minute, hour, date, month, weekday) => {
      const schedule = [minute, hour, date, month, weekday].join(" ")
      const calendar = onCalendar({ periodSec: null, schedule, timezone: null })
      if (calendar === null) return
      compared++
      const from = Date.UTC(2026, 10, 27)
      expect([schedule, calendar, expectedTimes({ schedule: calendar, timezone: "UTC" }, from, 4)])
        .toEqual([schedule, calendar, expectedTimes({ schedule, timezone: "UTC" }, from, 4)])
    }),
    { numRuns: 300 }
  )
  expect(compared).toBeGreaterThan(50)
  expect(cronLine({ periodSec: null, schedule: "0 0 L * *", timezone: null })).toBeNull()
  expect(cronLine({ periodSec: null, schedule: "0 0 * jul wed", timezone: null })).toBe("0 0 * jul wed")
})
