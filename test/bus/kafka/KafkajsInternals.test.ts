import { describe, expect, it, onTestFinished, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Kafka, logLevel, Partitioners } from "kafkajs"
import Cluster from "kafkajs/src/cluster/index.js"
import ConsumerGroup from "kafkajs/src/consumer/consumerGroup.js"
import Connection from "kafkajs/src/network/connection.js"
import RequestQueue from "kafkajs/src/network/requestQueue/index.js"
import createSocketFactory from "kafkajs/src/network/socketFactory.js"
import { createRequire } from "node:module"
import { createServer, type Socket } from "node:net"
import { makeCluster, partitionOf } from "../../../src/bus/kafka/KafkajsInternals.ts"
import { until } from "../../support/time/Until.ts"

const nothing = () => {}

/** A queue of one connection with one request at a time; `sent` has the ids of those that left, `refused` of those given up. */
const makeQueue = () => {
  const sent: Array<number> = []
  const refused: Array<number> = []
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
      entry: { correlationId, resolve: nothing, reject: () => void refused.push(correlationId) },
      expectResponse: true,
      sendRequest: () => void sent.push(correlationId)
    })
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: null, size: 0 })
  return { queue, sent, refused, push, answer }
}

const require = createRequire(import.meta.url)

describe("the internals of kafkajs", () => {
  it("are those of the version that is pinned exactly", () => {
    const { version } = require("kafkajs/package.json")
    expect(version).toBe("2.2.4")
    expect(require("../../../package.json").dependencies.kafkajs).toBe(version)
  })

  it("have a cluster that fetches partitions without a consumer group", () => {
    const config = { brokers: ["127.0.0.1:1"], logLevel: logLevel.NOTHING }
    const cluster = makeCluster(new Kafka(config), config, 30_000)
    expect(cluster).toBeInstanceOf(Cluster)
    for (
      const method of [
        "connect",
        "disconnect",
        "refreshMetadata",
        "addTargetTopic",
        "getNodeIds",
        "findTopicPartitionMetadata",
        "findBroker",
        "fetchTopicsOffset"
      ] as const
    ) expect(cluster[method], method).toBeTypeOf("function")
    expect(cluster.getNodeIds()).toEqual([])
    expect(require("kafkajs/src/broker/index.js").prototype.fetch).toBeTypeOf("function")
  })

  it("place a key like the public partitioner", () => {
    const place = Partitioners.DefaultPartitioner()
    const partitionMetadata = Array.from({ length: 16 }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 0,
      replicas: [],
      isr: []
    }))
    for (const key of ["mon_1", "mon_2", "", "ü"]) {
      expect(partitionOf(key, 16)).toBe(place({ topic: "any", partitionMetadata, message: { key, value: null } }))
    }
  })

  it("have a request queue with the methods and fields that are mended or read", () => {
    const { push, queue } = makeQueue()
    for (
      const method of [
        "scheduleCheckPendingRequests",
        "scheduleRequestTimeoutCheck",
        "sendSocketRequest",
        "destroy",
        "isConnected"
      ] as const
    ) {
      expect(queue[method], method).toBeTypeOf("function")
    }
    expect(queue.enforceRequestTimeout).toBe(true)
    push(1)
    push(2)
    expect(queue.pending).toHaveLength(1)
    const [request] = queue.inflight.values()
    expect(request).toMatchObject({ requestTimeout: 10_000, timeoutRequest: expect.any(Function) })
    queue.destroy()
  })
})

describe("a consumer group of kafkajs", () => {
  it("beats in its interval, also once the wall clock was set back by an hour", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    onTestFinished(() => {
      vi.restoreAllMocks()
      vi.useRealTimers()
    })
    vi.advanceTimersByTime(10_000)
    const group = new ConsumerGroup({
      cluster: {},
      groupId: "test",
      topics: [],
      topicConfigurations: {},
      logger: { namespace: () => ({}) },
      instrumentationEmitter: { emit: nothing }
    })
    let beats = 0
    group.memberId = "member"
    group.coordinator = { heartbeat: () => Promise.resolve(void beats++) }
    const now = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(now - 3_600_000)
    for (let second = 0; second < 10; second++) {
      await group.heartbeat({ interval: 2500 })
      vi.advanceTimersByTime(1000)
    }
    expect(beats).toBe(4)
  })
})

describe("the request queue of kafkajs", () => {
  // First: the timer of the requests is then made here.
  it.each([-3_600_000, 3_600_000])("gives a request up after its time, also once the wall clock was set by %i ms", (step) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
    onTestFinished(() => {
      vi.restoreAllMocks()
      vi.useRealTimers()
    })
    const { push, queue, refused } = makeQueue()
    const now = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(now + step)
    queue.scheduleRequestTimeoutCheck()
    push(1)
    vi.advanceTimersByTime(9_000)
    expect(refused).toEqual([])
    vi.advanceTimersByTime(4_000)
    expect(refused).toEqual([1])
    queue.destroy()
  })

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

  it("read no bytes of an earlier socket once a connection has another", async () => {
    const sockets: Array<Socket> = []
    const server = createServer((socket) => void sockets.push(socket.on("error", nothing)))
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    )
    const logger = { namespace: () => ({ debug: nothing, error: nothing }) }
    const connection = new Connection({
      host: "127.0.0.1",
      port,
      logger,
      socketFactory: createSocketFactory(),
      requestTimeout: 10_000,
      connectionTimeout: 10_000
    })
    const serverHas = (count: number) => until(Effect.sync(() => sockets.length), (found) => found === count)
    await connection.connect()
    await Effect.runPromise(serverHas(1))
    expect(connection).toMatchObject({ bytesBuffered: 0, bytesNeeded: 4, chunks: [] })
    // Half a response: its length is 100.
    sockets[0]?.write(Buffer.from([0, 0, 0, 100, 1, 2]))
    await Effect.runPromise(until(Effect.sync(() => connection.bytesBuffered), (bytes) => bytes === 6))
    await connection.disconnect()
    await Promise.all([connection.connect(), connection.connect()])
    await Effect.runPromise(serverHas(2))
    expect(connection).toMatchObject({ bytesBuffered: 0, bytesNeeded: 4, chunks: [] })
    sockets[0]?.write(Buffer.from([3, 4]))
    sockets[1]?.write(Buffer.from([0]))
    await Effect.runPromise(until(Effect.sync(() => connection.bytesBuffered), (bytes) => bytes > 0))
    expect(connection.bytesBuffered).toBe(1)
    await connection.disconnect()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
