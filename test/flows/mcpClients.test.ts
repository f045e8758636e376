/** The view of agents while their calls run, with the clients of the official SDKs: with sessions, and in the version without them. */
import { describe, expect, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber } from "effect"
import { type Json, newAgent } from "./support/Client.ts"
import { type Connect, connectWithoutSession, connectWithSession } from "./support/McpClients.ts"
import { awaited, SharedProgram } from "./support/Program.ts"

/** Waits of one workspace that run at a time. */
const mostWaits = 20

/** A job that never reports, so that waits for it go on. */
const silentJob = Effect.fn("silentJob")(function*(agent: Effect.Effect.Success<ReturnType<typeof newAgent>>) {
  const { body } = yield* agent.post("/monitors", { name: "Job", periodSec: 3600 })
  const id: string = body.id
  return id
})

const clients: ReadonlyArray<readonly [name: string, connect: Connect]> = [
  ["with a session", connectWithSession],
  ["without a session", connectWithoutSession]
]

describe.each(clients)("a client %s", (_, connect) => {
  layer(SharedProgram.Default, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.scoped("lists, reads and calls, and sees how long a call waits", () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* SharedProgram
        const agent = yield* newAgent(baseUrl)
        const id = yield* silentJob(agent)
        const { call, prompts, resource, tools } = yield* connect(baseUrl, agent.apiKey, null)
        expect(yield* tools).toEqual(expect.arrayContaining(["create_monitor", "wait_for_monitor"]))
        expect(yield* prompts).toContain("review_monitoring")
        expect(JSON.parse(yield* resource(`belltower://monitors/${id}`))).toMatchObject({ name: "Job" })

        const updates: Array<Json> = []
        const waited = yield* call("wait_for_monitor", { id, timeoutSec: 6 }, { onprogress: (one) => updates.push(one) })
        expect(waited).toMatchObject({ isError: false, body: { reached: false, nextStep: "Call it again to wait on" } })
        expect(updates.length).toBeGreaterThanOrEqual(1)
        expect(updates.map(({ progress }) => progress)).toEqual(updates.map(({ progress }) => progress).sort((a, b) => a - b))
        for (const { message, total } of updates) {
          expect(total).toBeGreaterThanOrEqual(6)
          expect(message).toMatch(/^Waiting until the monitor is up, \d+ s of at most 6 s so far$/)
        }
      }), 120_000)

    it.scoped("ends its calls, and their work ends with them", () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* SharedProgram
        const agent = yield* newAgent(baseUrl)
        const id = yield* silentJob(agent)
        const { call } = yield* connect(baseUrl, agent.apiKey, null)
        const enough = new AbortController()
        // Half of them are streams. One that comes while the place is taken by a call below tries again.
        const wait = (number: number) =>
          call("wait_for_monitor", { id, timeoutSec: 50 }, {
            signal: enough.signal,
            ...(number % 2 === 0 ? { onprogress: () => {} } : {})
          })
        const waits = yield* Effect.forEach(Arr.range(1, mostWaits), (number) =>
          Effect.fork(Effect.exit(awaited(wait(number), ({ body }) => body.error?.code !== "rate_limited"))))
        const more = call("wait_for_monitor", { id, timeoutSec: 1 })
        const refused = yield* awaited(more, ({ isError }) =>
          isError)
        expect(refused.body.error.code).toBe("rate_limited")
        enough.abort()
        const ended = yield* Effect.forEach(waits, Fiber.join)
        expect(ended.map(({ _tag }) => _tag)).toEqual(Arr.makeBy(mostWaits, () => "Failure"))
        // Long before the waits would end by themselves.
        const free = yield* Effect.timeout(awaited(more, ({ isError }) => !isError), "20 seconds")
        expect(free.body.reached).toBe(false)
      }), 120_000)

    it.scoped(
      "is asked for the confirmation of a deletion if it said that its person can be asked",
      () =>
        Effect.gen(function*() {
          const { baseUrl } = yield* SharedProgram
          const agent = yield* newAgent(baseUrl)
          const { body: { name } } = yield* agent.patch("/workspace", { name: "Acme" })
          expect(name).toBe("Acme")
          const mute = yield* connect(baseUrl, agent.apiKey, null)
          const unasked = yield* mute.call("delete_workspace")
          expect(unasked).toMatchObject({ isError: true, body: { error: { code: "validation_failed" } } })
          expect(JSON.stringify(unasked.body)).toContain("Expected the name of the workspace")

          const questions: Array<string> = []
          let answer: { readonly action: "accept" | "decline"; readonly content?: Record<string, string | number> } = {
            action: "decline"
          }
          const { call } = yield* connect(baseUrl, agent.apiKey, (message) => {
            questions.push(message)
            return answer
          })
          expect(JSON.stringify((yield* call("delete_workspace")).body)).toContain("not confirmed")
          answer = { action: "accept", content: { name: "Acmes" } }
          expect(JSON.stringify((yield* call("delete_workspace")).body)).toContain("Expected the name of the workspace")

          for (const number of Arr.range(1, 11)) {
            yield* agent.post("/monitors", { name: `Job ${number}`, periodSec: 3600, tags: ["old"] })
          }
          answer = { action: "accept", content: { count: 11 } }
          const { body: { deleted } } = yield* call("delete_monitors", { tag: "old" })
          expect(deleted).toHaveLength(11)

          answer = { action: "accept", content: { name: "Acme" } }
          expect((yield* call("delete_workspace")).isError).toBe(false)
          expect((yield* agent.get("/workspace")).status).toBe(401)
          expect(questions).toEqual([
            "This deletes the workspace Acme with all that is in it. Enter its name to confirm.",
            "This deletes the workspace Acme with all that is in it. Enter its name to confirm.",
            "11 monitors with their history would be lost. Enter how many to confirm.",
            "This deletes the workspace Acme with all that is in it. Enter its name to confirm."
          ])
        }),
      120_000
    )
  })
})
