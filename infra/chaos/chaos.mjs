/**
 * Runs the program scaled out (three brokers, two runners, four probes in three regions) while its parts are killed, frozen, cut
 * off and damaged in random order, and keeps a ledger of what was promised against what arrived: an alert for each outage and for
 * its end, once, in time and rightly dated; none without an outage; each acknowledged ping stored, and each check that a site has
 * answered. All the while one region is behind a bad network, and the clocks of two probes are ten minutes wrong. Ends with 1 if
 * anything is missing.
 *
 * usage: node infra/chaos/chaos.mjs [--rounds 50] [--minutes <most>] [--seed <number>] [--only <words of a fault>]
 */
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { missing } from "../kafka/kafka.mjs"
import { afterwards } from "./afterwards.mjs"
import { makeChoices } from "./choices.mjs"
import { faults } from "./faults.mjs"
import { startJobs } from "./jobs.mjs"
import { faultsIn, makeLedger } from "./ledger.mjs"
import { cleanUp, regions, startStage, until, usualFolder } from "./stage.mjs"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    minutes: { type: "string", default: "Infinity" },
    seed: { type: "string" },
    only: { type: "string", default: "" }
  }
})
const rounds = Number(values.rounds)
const seed = Number(values.seed ?? Date.now() % 1_000_000)

/** The shortest that monitors may have, s. */
const intervalSec = 10
/** Of calm time, from the beginning of an outage to its alert, ms: the interval, and what a busy machine takes. */
const boundMs = 25_000
/** How long after the end of a fault its consequences may last, ms: a region is given up, and a runner taken over, within 30 s. */
const recoveryMs = 30_000
/** How wrong the time of a check may be, ms. */
const toleranceMs = 2_000
/** A promise that is not kept so long after a round is lost, ms. */
const patienceMs = 150_000
/** Faults that last longer than others at night. */
const longestMs = { "a topic takes no messages": 180_000 }
const outagesOfRound = 3
/** An alert of a monitor that fails three times in half an hour says that it flaps. */
const outagesOfSite = 2

const choices = makeChoices(seed)
const ledger = makeLedger({ boundMs, toleranceMs, tell: console.log })
let round = 0

const sites = Array.from(
  { length: Math.max(8, Math.ceil(rounds * outagesOfRound / outagesOfSite) + outagesOfRound) },
  (_, index) => ({ name: `site-${index}`, outages: 0 })
)
/** With the default settings: what is shorter than 10 s, or what one region alone sees, alerts nobody. */
const blinking = ["blink-0", "blink-1", "blink-2"]
const lonely = "lonely"
const jobs = Array.from({ length: Math.max(3, Math.ceil(rounds / outagesOfSite)) }, (_, index) => `job-${index}`)

/** The subject of an alert is the name of its monitor. */
const heard = ({ data, id, type }, at) => {
  const subject = data.monitor.name
  const checkAt = data.check === null ? at : Date.parse(data.check.at)
  ledger.arrived({ id, subject, type: type === "monitor.down" ? "down" : "up", at, checkAt }, round)
}

const watch = async (stage) => {
  const { call, siteUrl } = stage
  const common = { intervalSec, timeoutMs: 2000, regions }
  for (const { name } of sites) {
    await call("POST", "/monitors", { ...common, name, url: siteUrl(name), failureThreshold: 1 })
  }
  for (const name of [...blinking, lonely]) await call("POST", "/monitors", { ...common, name, url: siteUrl(name) })
  const pinged = []
  for (const name of jobs) pinged.push({ name, ...await call("POST", "/monitors", { name, periodSec: 30, graceSec: 15 }) })
  const running = startJobs({ baseUrl: stage.cluster.baseUrl, jobs: pinged, ledger })
  const known = sites.length + blinking.length + 1 + jobs.length
  await until(
    "All monitors are up",
    async () => {
      const { data } = await call("GET", "/monitors?limit=500")
      return data.filter(({ state }) => state === "up").length === known
    },
    90_000
  )
  return running
}

const setSite = (stage, site, isDown) => {
  stage.setSite(site.name, isDown)
  ledger.promise(site.name, isDown ? "down" : "up", Date.now(), round)
}

/** Runs each act at a random moment of the time. */
const within = (ms, acts) =>
  Promise.all(acts.map(async (act) => {
    await pause(choices.below(ms))
    await act()
  }))

/** A blip of 2 to 8 s, and an outage that one region alone sees for half of the fault. */
const blink = (stage, ms) => {
  const site = blinking[round % blinking.length]
  const blipMs = choices.between(2000, 8000)
  const failFor = async (set, name, failMs) => {
    set(name, true)
    await pause(failMs)
    set(name, false)
  }
  return [() => failFor(stage.setSite, site, blipMs), () => failFor(stage.setFarSite, lonely, ms / 2)]
}

const names = Object.keys(faults).filter((name) => name.includes(values.only))
/** Every fault comes before one comes again. */
const order = []
const nextFault = () => {
  if (order.length === 0) order.push(...choices.shuffled(names))
  return order.pop()
}

/** The number of checks that the faults so far may have lost. */
let mayLose = 0

/** The sites that are down, and the job that fails, since the last round; they recover during this one. */
let ailing = { sites: [], job: null }

const play = async (stage, running) => {
  const name = nextFault()
  const ms = rounds <= 10 ? choices.between(6000, 9000) : choices.between(5000, longestMs[name] ?? 40_000)
  const failing = {
    sites: choices.shuffled(sites.filter((site) => site.outages < outagesOfSite && !ailing.sites.includes(site)))
      .sort((a, b) => a.outages - b.outages).slice(0, outagesOfRound),
    job: jobs[round % jobs.length]
  }
  for (const site of failing.sites) site.outages++
  stage.tell(
    "chaos",
    `round ${round}: ${name} for ${ms} ms; ${failing.sites.map((site) => site.name).join(", ")}, ${failing.job} fail`
  )
  const began = Date.now()
  const endTrouble = ledger.trouble(began)
  const end = await faults[name]({ ...stage, mayLose: (checks) => void (mayLose += checks) }, choices)
  await within(ms, [
    ...failing.sites.map((site) => () => setSite(stage, site, true)),
    ...ailing.sites.map((site) => () => setSite(stage, site, false)),
    () => running.fail(failing.job, true, round),
    ...(ailing.job === null ? [] : [() => running.fail(ailing.job, false, round)]),
    ...blink(stage, ms)
  ])
  await pause(Math.max(0, began + ms - Date.now()))
  await end()
  endTrouble(Date.now() + recoveryMs)
  ailing = failing
  await settle(stage, running, name, began)
}

/** Waits until all promises are kept. */
const settle = async (stage, running, name, began) => {
  const endedAt = Date.now()
  const isSettled = () => running.isPromised() && ledger.isSettled()
  await until("All alerts have arrived", isSettled, patienceMs).catch(() => ledger.giveUp())
  const line = `round ${round}: ${name}; the fault lasted ${seconds(endedAt - began)}, all alerts were there ${
    seconds(Date.now() - endedAt)
  } later`
  stage.tell("chaos", line)
  console.log(line)
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`

/** Everything recovers, without a fault, as in a round of its own. */
const recover = async (stage, running) => {
  const began = Date.now()
  for (const site of ailing.sites) setSite(stage, site, false)
  if (ailing.job !== null) running.fail(ailing.job, false, round)
  await settle(stage, running, "everything recovers", began)
}

const report = async (stage, running) => {
  const { complaints: found, ...figures } = await afterwards(stage, running.acknowledged(), mayLose)
  // A surplus may come late.
  const { repeated, rows, slowestMs, total } = ledger.report()
  for (const row of rows.filter((one) => faultsIn(one) > 0)) console.log(JSON.stringify(row))
  for (const text of found) console.log(text)
  const isRight = faultsIn(total) === 0 && found.length === 0
  console.log(
    JSON.stringify({ seed, rounds: round - 1, ...total, repeatedDeliveries: repeated, slowestCalmMs: slowestMs, ...figures })
  )
  return isRight
}

const main = async () => {
  const problem = await missing()
  if (problem !== null) {
    console.warn(`WARNING: chaos was not tried. ${problem}`)
    return process.env.CI ? 1 : 0
  }
  console.log(`chaos: ${rounds} rounds, seed ${seed}; the log is ${join(usualFolder, "log")}`)
  const stage = await startStage({ folder: usualFolder, seed, heard })
  try {
    const running = await watch(stage)
    // No round begins after the time is up.
    const end = performance.now() + Number(values.minutes) * 60_000
    for (round = 1; round <= rounds && performance.now() < end; round++) await play(stage, running)
    await recover(stage, running)
    await running.stop()
    return await report(stage, running) ? 0 : 1
  } finally {
    await stage.stop()
    cleanUp(usualFolder)
  }
}

process.exit(
  await main().catch((error) => {
    console.error(error)
    return 1
  })
)
