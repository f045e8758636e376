// Preloaded into a process under test: its clock is CLOCK_SKEW_MS ahead, as on a machine whose time is wrong. At each SIGUSR2 it jumps to
// the next of CLOCK_JUMPS_MS, from the first again after the last.
const { now } = Date
let ahead = Number(process.env.CLOCK_SKEW_MS)

const jumps = process.env.CLOCK_JUMPS_MS?.split(",").map(Number) ?? []
let jumped = 0
if (jumps.length > 0) process.on("SIGUSR2", () => ahead = jumps[jumped++ % jumps.length])

Date.now = () => now() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, parts, itself) => Reflect.construct(target, parts.length === 0 ? [target.now()] : parts, itself)
})
