// Sends requests over keep-alive connections and reads what they cost the process that answers them.
import { Agent, request } from "node:http"
import { cpu, eachOf, sleep } from "./processes.mjs"

const atOnce = 8

/** A sender with connections of its own; `send` resolves with the body of a success. */
export const makeSender = (apiKey) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const send = (url, method = "GET", body = undefined) =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body && { "content-type": "application/json" })
      }
      const sent = request(url, { agent, method, headers }, (response) => {
        const chunks = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.once("end", () =>
          response.statusCode < 300
            ? resolve(Buffer.concat(chunks))
            : reject(new Error(`${method} ${url}: ${response.statusCode} ${Buffer.concat(chunks)}`)))
      })
      sent.once("error", reject)
      sent.end(body && JSON.stringify(body))
    })
  return { send, close: () => agent.destroy() }
}

/** The part of a core that a process uses while nobody asks it for anything: on a busy machine a bench lasts longer. */
export const idlePart = async (pid, ms = 10_000) => {
  const before = cpu(pid).ownMs
  const from = performance.now()
  await sleep(ms)
  return (cpu(pid).ownMs - before) / (performance.now() - from)
}

/** What requests cause in other processes has ended by then, ms. */
const settled = 1000

/**
 * ms of CPU of each process for each of `count` requests, without what it uses anyway (`idle`). As many before them warm up: until the
 * compiler knows it, the code of a request costs twice as much.
 */
export const cpusPerRequest = async (processes, count, one) => {
  await eachOf(Array.from({ length: count }), atOnce, one)
  await sleep(settled)
  const before = processes.map(({ pid }) => cpu(pid).ownMs)
  const from = performance.now()
  await eachOf(Array.from({ length: count }), atOnce, one)
  await sleep(settled)
  const ms = performance.now() - from
  return processes.map(({ idle = 0, pid }, index) => (cpu(pid).ownMs - before[index] - idle * ms) / count)
}

export const cpuPerRequest = async (pid, count, one, idle = 0) => (await cpusPerRequest([{ pid, idle }], count, one))[0]

export const round = (value) => Number(value.toFixed(3))
