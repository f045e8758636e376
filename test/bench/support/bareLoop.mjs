// The least a check can cost in Node: requests on connections of their own, read to their end. Usage: bareLoop.mjs <url> <perSecond>
import { get } from "node:http"

const [url, pace] = process.argv.slice(2)
const perSecond = Number(pace)
const width = 32
/** As the probe does: what falls due within it is begun together. */
const tickMs = 100
let requests = 0

const request = () =>
  new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.on("data", () => {})
      response.once("end", () => {
        requests++
        resolve()
      })
    }).once("error", resolve)
  })

const atFullSpeed = async () => {
  for (;;) await request()
}

const atPace = () => {
  const from = performance.now()
  let begun = 0
  setInterval(() => {
    for (const due = ((performance.now() - from) * perSecond) / 1000; begun < due; begun++) void request()
  }, tickMs)
}

process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send({ requests, cpuMs: (system + user) / 1000 })
})
process.on("disconnect", () => process.exit(0))
if (perSecond === 0) { for (let i = 0; i < width; i++) void atFullSpeed() }
else atPace()
