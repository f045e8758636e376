import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import RequestQueue from "kafkajs/src/network/requestQueue/index.js"
import "../../src/bus/KafkaRequestQueue.ts"
import { until } from "../support/Until.ts"

const nothing = () => {}

/** A queue of one connection with one request at a time; `sent` has the ids of the requests that left. */
const makeQueue = () => {
  const sent: Array<number> = []
  const queue = new RequestQueue({
    maxInFlightRequests: 1,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    clientId: "test",
    broker: "test",
    logger: { debug: nothing, warn: nothing }
  })
  const push = (correlationId: number) =>
    queue.push({
      entry: { correlationId, resolve: nothing, reject: nothing },
      expectResponse: true,
      sendRequest: () => void sent.push(correlationId)
    })
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: null, size: 0 })
  return { queue, sent, push, answer }
}

describe("the request queue of kafkajs", () => {
  it("sets no timer when nothing is pending", () => {
    const { answer, push, queue, sent } = makeQueue()
    push(1)
    answer(1)
    expect(sent).toEqual([1])
    expect(queue.throttleCheckTimeoutId).toBeNull()
  })

  it("sends what was pending as soon as there is room, and then sets no further timer", () => {
    const { answer, push, queue, sent } = makeQueue()
    push(1)
    push(2)
    answer(1)
    answer(2)
    expect(sent).toEqual([1, 2])
    queue.destroy()
    push(3)
    answer(3)
    expect(queue.throttleCheckTimeoutId).toBeNull()
  })

  it.live("sends what a throttle held back when the throttle ends", () =>
    Effect.gen(function*() {
      const { push, queue, sent } = makeQueue()
      queue.maybeThrottle(30)
      push(1)
      expect(sent).toEqual([])
      yield* until(Effect.sync(() => sent.length), (count) => count === 1)
      queue.destroy()
    }))
})
