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

/** ms of CPU of a process, or with `of: "othersMs"` of those that it has started, such as PostgreSQL's. */
const cpuOf = ({ of = "ownMs", pid }) => cpu(pid)[of]

/** The processes, each with the part of a core that it uses while nobody asks it for anything: on a busy machine a bench lasts longer. */
export const withIdle = async (processes, ms = 10_000) => {
  const before = processes.map(cpuOf)
  const from = performance.now()
  await sleep(ms)
  const took = performance.now() - from
  return processes.map((process, index) => ({ ...process, idle: (cpuOf(process) - before[index]) / took }))
}

/** The work that requests cause in other processes has ended by then, ms. */
const settled = 500

/** Into how many parts the requests are divided. */
const parts = 10

/**
 * ms of CPU of each process of each subject for each of `count` requests, without what it uses anyway (`idle`). The subjects take turns,
 * because the speed of a machine that others use varies. As many requests before warm up: until the compiler knows it, code costs twice
 * as much.
 */
export const cpuInTurns = async (subjects, count) => {
  for (const { one } of subjects) await eachOf(Array.from({ length: count }), atOnce, one)
  const sums = subjects.map(({ processes }) => processes.map(() => 0))
  for (let part = 0; part < parts; part++) {
    for (const [index, { one, processes }] of subjects.entries()) {
      await sleep(settled)
      const before = processes.map(cpuOf)
      const from = performance.now()
      await eachOf(Array.from({ length: count / parts }), atOnce, one)
      await sleep(settled)
      const ms = performance.now() - from
      processes.forEach((process, which) => (sums[index][which] += cpuOf(process) - before[which] - (process.idle ?? 0) * ms))
    }
  }
  return sums.map((each) => each.map((ms) => ms / count))
}

export const round = (value) => Number(value.toFixed(3))
