// Preloaded into a process under test: its clock is CLOCK_SKEW_MS ahead, as on a machine whose time is wrong.
const { now } = Date
const ahead = Number(process.env.CLOCK_SKEW_MS)

Date.now = () => now() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, parts, itself) => Reflect.construct(target, parts.length === 0 ? [target.now()] : parts, itself)
})
