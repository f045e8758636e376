/** The TLS settings of a monitor: what is refused and why, what an edit keeps, and rows of releases that had none. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { afterAll } from "vitest"
import { mask } from "../../../../schema/Mask.ts"
import { Target } from "../../../../schema/monitor/kinds.ts"
import { type MonitorInput, type MonitorUpdate, RequestSecrets } from "../../../../schema/monitor/Monitor.ts"
import { unsetSettings } from "../../../../src/domain/monitor/MonitorRecord.ts"
import { type MonitorSettings, settleEdit, settleNew } from "../../../../src/domain/monitor/settings/MonitorSettings.ts"
import { openWorkshop } from "../../../support/targets/CertificateWorkshop.ts"

const { close, make } = openWorkshop()
afterAll(close)

const authority = make({ name: "Authority", isAuthority: true })
const me = make({ name: "me", by: authority })
const other = make({ name: "other", by: authority })
const pair = { clientCertificate: me.cert + authority.cert, clientKey: me.key }

type Input = Omit<MonitorInput, "name">

const settle = (input: Input) => settleNew({ name: "x", ...input }, { channelIds: [], regions: [] })
const settled = (input: Input): MonitorSettings => Either.getOrThrow(settle(input))
const edited = (input: MonitorUpdate, base: MonitorSettings): MonitorSettings => Either.getOrThrow(settleEdit(input, base))

const refusal = (seen: ReturnType<typeof settle>) =>
  Either.match(seen, { onLeft: ({ message, path }) => `${path}: ${message}`, onRight: () => null })
const refused = (input: Input) => refusal(settle({ url: "https://a.test/", ...input }))

describe("the TLS settings of a monitor", () => {
  it("are kept beside its target, and the key with the sealed values", () => {
    const { secrets, target } = settled({ url: "https://a.test/", tlsVerify: false, tlsCa: authority.cert, ...pair })
    expect(target).toMatchObject({ tlsVerify: false, tlsCa: authority.cert, clientCertificate: pair.clientCertificate })
    expect(JSON.stringify(target)).not.toContain("PRIVATE KEY")
    expect(secrets).toEqual({ headers: {}, body: null, clientKey: me.key, clientSecret: null })
  })

  it("are stored only where they are not the usual ones, so that rows of earlier releases mean the same", () => {
    const { target } = settled({ url: "https://a.test/", tlsVerify: true, tlsCa: null, clientCertificate: "", clientKey: null })
    expect(Object.keys(target)).toEqual(expect.not.arrayContaining(["tlsVerify", "tlsCa", "clientCertificate"]))
    expect(Schema.decodeUnknownSync(Target)(target)).toEqual(target)
    expect(unsetSettings.http).toMatchObject({ tlsVerify: true, tlsCa: null, clientCertificate: null })
    expect(unsetSettings.dns.tlsVerify).toBeNull()
    expect(Schema.decodeUnknownSync(RequestSecrets)({ headers: {}, body: null }).clientKey).toBeNull()
  })

  it("are kept by an edit that omits them or sends the mask, and cleared by null", () => {
    const before = settled({ url: "https://a.test/", tlsVerify: false, tlsCa: authority.cert, ...pair })
    for (const edit of [{ name: "y" }, { clientKey: mask }, { clientCertificate: pair.clientCertificate, clientKey: mask }]) {
      expect(edited(edit, before)).toMatchObject({ target: before.target, secrets: before.secrets })
    }
    const cleared = edited({ clientCertificate: null, tlsCa: null, tlsVerify: true }, before)
    expect(cleared.target).toEqual(settled({ url: "https://a.test/" }).target)
    expect(cleared.secrets.clientKey).toBeNull()
    const renewed = edited({ clientCertificate: other.cert, clientKey: other.key }, before)
    expect(renewed.secrets.clientKey).toBe(other.key)
    expect(refusal(settleEdit({ clientCertificate: other.cert }, before))).toMatch(/^clientKey: clientKey is not the key of/)
  })

  it("are refused with the reason if they cannot be used", () => {
    const encrypted = execFileSync("openssl", ["pkey", "-aes256", "-passout", "pass:secret"], { input: me.key, stdio: "pipe" })
    const broken = me.cert.replace(/[A-Za-z]{20}/, "A".repeat(20)).replace("MII", "MIJ")
    const cases: ReadonlyArray<readonly [Input, RegExp]> = [
      [{ tlsCa: "certificate" }, /^tlsCa: tlsCa contains no certificate in PEM$/],
      [{ tlsCa: broken }, /^tlsCa: tlsCa contains a certificate that cannot be read$/],
      [{ tlsCa: me.cert + me.key }, /^tlsCa: tlsCa contains a private key, and is not stored encrypted$/],
      [{ ...pair, clientCertificate: me.key + me.cert }, /^clientCertificate: .* contains a private key/],
      [{ ...pair, clientCertificate: authority.cert + me.cert }, /^clientKey: clientKey is not the key of the first certificate/],
      [{ ...pair, clientKey: other.key }, /^clientKey: clientKey is not the key of the first certificate/],
      [{ ...pair, clientKey: "key" }, /^clientKey: clientKey is not a private key in PEM$/],
      [{ ...pair, clientKey: encrypted.toString() }, /^clientKey: clientKey is protected by a passphrase$/],
      [{ ...pair, clientKey: mask }, /^clientKey: clientKey contains .*, which only stands for a stored secret/],
      [{ clientCertificate: me.cert }, /^clientKey: clientKey is required with clientCertificate$/],
      [{ clientKey: me.key }, /^clientCertificate: clientKey needs clientCertificate$/]
    ]
    for (const [input, message] of cases) expect(refused(input)).toMatch(message)
    for (const [input] of cases) expect(refused(input)).not.toContain(me.key.slice(40, 80))
  })

  it("belong to the kinds that speak TLS, and need a connection that does", () => {
    const tcp = { host: "a.test", port: 443 }
    expect(settled({ ...tcp, tlsCa: authority.cert }).target).toMatchObject({ tls: true })
    expect(settled({ ...tcp, tlsVerify: false }).target).toMatchObject({ tls: false, tlsVerify: false })
    expect(refusal(settle({ ...tcp, tls: false, ...pair }))).toMatch(/^tls: .*clientCertificate need a TLS connection$/)
    expect(refusal(settle({ kind: "grpc", ...tcp, tls: false, tlsCa: authority.cert }))).toMatch(/^tls: /)
    expect(refusal(settle({ kind: "dns", host: "a.test", tlsVerify: false }))).toMatch(/^tlsVerify: .*not a setting of dns/)
    expect(refusal(settle({ kind: "browser", code: "1", tlsCa: authority.cert }))).toMatch(/^tlsCa: .*not a setting of browser/)
    expect(settled({ kind: "browser", code: "1", tlsVerify: false }).target).toMatchObject({ tlsVerify: false })
    expect(refusal(settle({ periodSec: 60, clientKey: me.key }))).toMatch(/^clientKey: .*not a setting of heartbeat/)
  })
})
