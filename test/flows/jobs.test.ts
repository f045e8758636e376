/** Good, failing, slow and overlapping jobs report to a running program: by addresses, and by clients that others wrote. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { newAgent, request } from "./support/Client.ts"
import { awaited, startedFolder, startProgram } from "./support/Program.ts"

const run = promisify(execFile)

/** Clients of Healthchecks from PyPI. */
const clients = ["healthchecks-io==0.4.4", "healthchecks-decorator==0.5.0"]

const jobs = `
import sys
from healthchecks_decorator import healthcheck
from healthchecks_io import CheckTrap, Client

base, uuid, ping_key, slug = sys.argv[1:]

with Client(ping_url=f"{base}/ping/", ping_key=ping_key) as client:
    with CheckTrap(client, uuid=uuid) as job:
        job.add_log("copied 12 files")
    with CheckTrap(client, uuid=uuid, suppress_exceptions=True) as job:
        raise Exception("disk full")
    assert client.exit_code_ping(3, slug=slug, data="tar: 3 errors") == (True, "OK")
    assert client.start_ping(slug=slug) == (True, "OK")
    assert client.success_ping(slug=slug) == (True, "OK")

@healthcheck(url=f"{base}/ping/{uuid}", send_start=True, send_diagnostics=True)
def good():
    return {"rows": 7}

@healthcheck(url=f"{base}/ping/{uuid}", send_start=True)
def bad():
    raise ValueError("no such table")

good()
try:
    bad()
except ValueError:
    pass
`

/** The Python of a fresh environment with the clients; null where it cannot be had. */
const pythonIn = (folder: string) =>
  Effect.tryPromise(async () => {
    await run("python3", ["-m", "venv", join(folder, "venv")])
    await run(join(folder, "venv/bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...clients])
    return join(folder, "venv/bin/python")
  }).pipe(Effect.orElse(() =>
    Effect.as(Effect.logWarning("NOT TESTED: clients of Healthchecks, since python3 with venv or PyPI is missing"), null)
  ))

const newJob = Effect.fnUntraced(function*(more: Readonly<Record<string, unknown>> = {}) {
  const folder = yield* startedFolder
  const program = yield* startProgram({ folder })
  const agent = yield* newAgent(program.baseUrl)
  const { body } = yield* agent.post("/monitors", { name: "Nightly backup", periodSec: 86_400, graceSec: 3600, ...more })
  const path = new URL(body.pingUrl).pathname
  return {
    agent,
    folder,
    path,
    program,
    id: String(body.id),
    ping: (suffix: string, init: RequestInit = {}) => request(`${program.baseUrl}${path}${suffix}`, init),
    record: Effect.map(agent.get(`/monitors/${body.id}`), (answer) => answer.body),
    runs: (query = "") => Effect.map(agent.get(`/monitors/${body.id}/runs${query}`), (answer) => answer.body)
  }
})

it.scopedLive("good, failing, slow and overlapping runs are distinguished, kept and found", () =>
  Effect.gen(function*() {
    const { agent, ping, record, runs } = yield* newJob({ maxRunSec: 1 })
    const is = (state: string) => awaited(record, (found) => found.state === state)
    yield* ping("/start?rid=a")
    yield* ping("?rid=a", { method: "POST", body: "copied 12 files" })
    yield* is("up")
    yield* ping("/start?rid=b", { method: "POST", body: "begins" })
    yield* ping("/start?rid=c")
    yield* ping("/2?rid=c", { method: "POST", body: "tar: disk 100% full" })
    expect((yield* is("down")).lastCheck).toMatchObject({ cause: "reported", error: "tar: disk 100% full" })
    // The run that still goes on is the slow one.
    const slow = yield* awaited(runs("?state=overdue"), ({ data }) => data.length === 1)
    expect(slow.data).toMatchObject([{ rid: "b", endedAt: null, logBytes: 6 }])
    yield* ping("/0?rid=b")
    yield* is("up")
    const { data, next } = yield* runs()
    expect(data.map(({ exitCode, rid, state }: Record<string, unknown>) => [rid, state, exitCode])).toEqual([
      ["c", "down", 2],
      ["b", "up", 0],
      ["a", "up", null]
    ])
    expect(next).toBeNull()
    const [first] = (yield* runs("?limit=1")).data
    expect((yield* runs(`?limit=1&before=${first.id}`)).data).toMatchObject([{ rid: "b" }])
    expect((yield* runs("?search=DISK%20100%25%20FULL")).data).toMatchObject([{ rid: "c" }])
    expect((yield* runs("?search=100x")).data).toEqual([])
    const { body } = yield* agent.get(`/runs/${first.id}`)
    expect(body).toMatchObject({ logs: [{ signal: "end", text: "tar: disk 100% full", bytes: 19 }] })
    expect((yield* agent.get("/runs/run_00000000000000000000000000")).status).toBe(404)
  }), 120_000)

it.scopedLive("a start that never ends takes the monitor down", () =>
  Effect.gen(function*() {
    const { ping, record, runs } = yield* newJob({ maxRunSec: 1 })
    yield* ping("")
    yield* awaited(record, ({ state }) => state === "up")
    yield* ping("/start")
    expect((yield* awaited(record, ({ state }) => state === "down")).lastCheck).toMatchObject({
      cause: "missed_ping",
      error: "The run has taken longer than 1 second"
    })
    expect((yield* runs()).data).toMatchObject([{ state: "overdue" }])
  }), 120_000)

it.scopedLive("clients of Healthchecks from PyPI report to it", () =>
  Effect.gen(function*() {
    const { agent, folder, path, program: { baseUrl }, runs } = yield* newJob()
    const python = yield* pythonIn(folder)
    if (python === null) return
    const script = join(folder, "jobs.py")
    const { body } = yield* agent.post("/ping-key", {})
    const key = new URL(body.pingUrl).pathname.split("/").at(-1) ?? ""
    yield* Effect.promise(() => writeFile(script, jobs))
    yield* Effect.promise(() => run(python, [script, baseUrl, path.split("/").at(-1) ?? "", key, "nightly-backup"]))
    const { data } = yield* runs()
    const briefly = data.map(({ error, exitCode, state }: Record<string, unknown>) => [state, exitCode, error])
    expect(briefly).toEqual([
      ["down", null, "The job reported a failure"],
      ["up", null, null],
      ["up", null, null],
      ["down", 3, "tar: 3 errors"],
      ["down", null, expect.stringMatching(/^disk full\n/)],
      ["up", null, null]
    ])
    const logs = yield* Effect.forEach([1, 5], (index) => agent.get(`/runs/${data[index].id}`))
    expect(logs.map((answer) => answer.body.logs)).toMatchObject([[{ text: "rows=7" }], [{ text: "copied 12 files" }]])
  }), 180_000)
