// Preloaded into a probe under test: names under `.test` resolve to the loopback address of its region, like the names of
// a service with an edge in each region.
import dns from "node:dns"

const address = process.env.TEST_REGION_ADDRESS
const { resolve4, resolve6 } = dns.Resolver.prototype
const notFound = (name) => Object.assign(new Error(`No such record for ${name}`), { code: "ENODATA" })

dns.Resolver.prototype.resolve4 = function(name, done) {
  return name.endsWith(".test") ? process.nextTick(done, null, [address]) : resolve4.call(this, name, done)
}
dns.Resolver.prototype.resolve6 = function(name, done) {
  return name.endsWith(".test") ? process.nextTick(done, notFound(name)) : resolve6.call(this, name, done)
}
