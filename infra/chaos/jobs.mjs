// Jobs that ping their heartbeats every second, and fail on demand; the time that each acknowledged ping was stored with is kept.
import { setTimeout as pause } from "node:timers/promises"

const everyMs = 1000
const answerWithinMs = 5000

const startJob = ({ baseUrl, job: { name, pingUrl }, ledger }) => {
  const path = new URL(pingUrl).pathname
  let wanted = { isFailing: false, round: 0 }
  let promised = false
  const acknowledged = []
  let running = true

  const ping = async () => {
    const { isFailing, round } = wanted
    // The alert may come before the answer.
    if (isFailing !== promised) ledger.promise(name, isFailing ? "down" : "up", Date.now(), round)
    promised = isFailing
    const response = await fetch(`${baseUrl}${path}${isFailing ? "/fail" : ""}`, { signal: AbortSignal.timeout(answerWithinMs) })
      .catch(() => null)
    const text = await response?.text().catch(() => null)
    if (response?.ok && text) acknowledged.push(JSON.parse(text).at)
  }
  const work = (async () => {
    while (running) await Promise.all([ping(), pause(everyMs)])
  })()
  return {
    name,
    set: (isFailing, round) => void (wanted = { isFailing, round }),
    /** Whether it has told the ledger what was asked of it. */
    isPromised: () => wanted.isFailing === promised,
    acknowledged: () => acknowledged,
    stop: () => {
      running = false
      return work
    }
  }
}

export const startJobs = ({ baseUrl, jobs, ledger }) => {
  const all = jobs.map((job) => startJob({ baseUrl, job, ledger }))
  return {
    fail: (name, isFailing, round) => all.find((job) => job.name === name)?.set(isFailing, round),
    isPromised: () => all.every((job) => job.isPromised()),
    /** The times (ISO) of the acknowledged pings of each job. */
    acknowledged: () => new Map(all.map((job) => [job.name, job.acknowledged()])),
    stop: () => Promise.all(all.map((job) => job.stop()))
  }
}
