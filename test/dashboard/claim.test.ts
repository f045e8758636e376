/** The claim page: an owner sees what the agent has done so far before they claim it. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bootstrapped, linkIn, newAddress, newVisitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

/** Calls the interface with an agent's key. */
const agentOf = (key: string) =>
  Effect.map(
    newVisitor,
    (agent) => (method: string, path: string, body?: object) =>
      Effect.map(agent.api(method, path, body, { authorization: `Bearer ${key}` }), (answer): Json => {
        expect([method, path, answer.status < 300]).toEqual([method, path, true])
        return answer.body
      })
  )

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "90 seconds" })(
  "The claim page",
  (it) => {
    it.scoped("tells what the agent has set up, with the first checks, and nothing that is secret", () =>
      Effect.gen(function*() {
        const { claim, key } = yield* bootstrapped
        const visitor = yield* newVisitor
        expect((yield* visitor.get(claim)).text).toContain("None yet, so nobody is alerted.")
        const call = yield* agentOf(key)
        const target = yield* httpTarget((_, response) => response.end("ok"))
        yield* call("POST", "/channels", { name: "Ops hook", type: "webhook", url: "https://hooks.example.com/s3cr3t" })
        const monitor = yield* call("POST", "/monitors", {
          name: "Web <shop>",
          url: `${target}/health?token=s3cr3t`,
          channelIds: []
        })
        const page = yield* call("POST", "/pages", { name: "Shop status" })
        yield* call("POST", `/pages/${page.id}/components`, { name: "Shop", monitorIds: [monitor.id] })
        yield* call("POST", `/pages/${page.id}/components`, { name: "Jobs", push: true })
        yield* until(call("GET", `/monitors/${monitor.id}`), ({ lastCheck }) => lastCheck !== null)

        const { text } = yield* visitor.get(claim)
        expect(text).toMatch(/Monitors: 1<.*<b>Web &lt;shop><\/b> <span class="note">up, HTTP 200, \d+ ms</s)
        expect(text).toMatch(/Shop status<\/a> <span class="note">2 components</)
        expect(text).toMatch(/Alert channels: 1<.*Ops hook<\/b> <span class="note">webhook</s)
        expect(text).toMatch(/Last changes<.*Create a component.*Create a monitor/s)
        expect(text).not.toContain("s3cr3t")
        expect(text).not.toContain("/push/")

        // The same after signing in; claimed, it tells nothing any more.
        const shown = yield* visitor.submit(`${claim}/email`, { email: newAddress() })
        yield* visitor.submit(linkIn(shown.text))
        expect((yield* visitor.get(claim)).text).toContain("Shop status")
        yield* visitor.submit(claim)
        const stranger = yield* newVisitor
        const claimed = yield* stranger.get(claim)
        expect([claimed.text.includes("already has an owner"), claimed.text.includes("Shop status")]).toEqual([true, false])
      }))

    it.scoped("counts what it does not list", () =>
      Effect.gen(function*() {
        const { claim, key } = yield* bootstrapped
        const call = yield* agentOf(key)
        for (let number = 1; number <= 10; number++) {
          yield* call("POST", "/monitors", { name: `Job ${number}.`, kind: "heartbeat", periodSec: 3600, channelIds: [] })
        }
        const { text } = yield* (yield* newVisitor).get(claim)
        expect(text).toMatch(/Monitors: 10<.*Job 8\..*and 2 more/s)
        expect([text.includes("Job 9."), text.includes("no check yet")]).toEqual([false, true])
        expect(text).toContain("The audit log has all of them.")
      }))
  }
)
