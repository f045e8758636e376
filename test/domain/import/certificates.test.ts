/** Imports carry how a source treats certificates: errors that it ignores, its own authorities, and client certificates. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { afterAll } from "vitest"
import { mask } from "../../../schema/Mask.ts"
import { documentInventory } from "../../../src/domain/import/belltower/DocumentInventory.ts"
import { betterMonitor } from "../../../src/domain/import/betterstack/BetterMonitor.ts"
import { gatusInventory } from "../../../src/domain/import/gatus/GatusInventory.ts"
import { kumaBackup } from "../../../src/domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../../src/domain/import/kuma/KumaInventory.ts"
import { kumaMonitor } from "../../../src/domain/import/kuma/KumaMonitor.ts"
import { robotMonitor } from "../../../src/domain/import/uptimerobot/RobotMonitor.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"
import { openWorkshop } from "../../support/targets/CertificateWorkshop.ts"

const { close, make } = openWorkshop()
afterAll(close)

const authority = make({ name: "Authority", isAuthority: true })
const me = make({ name: "me", by: authority })
const other = make({ name: "other", by: authority })
const url = "https://shop.example.com/"
const now = DateTime.unsafeMake("2026-11-26T12:00:00Z")

const kumaRow = (fields: object) => kumaMonitor({ id: 1, type: "http", name: "Shop", url, interval: 60, ...fields }, 0, [], [])
const mutual = { auth_method: "mtls", tls_ca: authority.cert, tls_cert: me.cert, tls_key: me.key }
const carried = { tlsCa: authority.cert.trim(), clientCertificate: me.cert.trim(), clientKey: me.key.trim() }

describe("an import", () => {
  it("accepts the certificates whose errors Uptime Kuma ignores, and sends no reminder of them, as there", () => {
    const row = kumaRow({ ignore_tls: 1, expiry_notification: 1 })
    expect(row).toMatchObject({ input: { tlsVerify: false }, notes: [] })
    expect(row?.input).not.toHaveProperty("sslExpiryDays")
    expect(kumaRow({ ignore_tls: 0, expiry_notification: 1 })?.input).toMatchObject({ sslExpiryDays: 21 })
    expect(kumaRow({ ignore_tls: 0 })?.input).not.toHaveProperty("tlsVerify")
    expect(kumaRow({ type: "websocket-upgrade", url: "wss://a.test/", ignore_tls: 1 })?.input).toMatchObject({ tlsVerify: false })
  })

  it("carries the client certificates of Uptime Kuma, from its database and its backups", () => {
    expect(kumaRow(mutual)).toMatchObject({ input: carried, notes: [] })
    const backup = {
      monitorList: [{
        ...{ id: 1, type: "http", name: "Shop", url, interval: 60, authMethod: "mtls" },
        ...{ tlsCa: authority.cert, tlsCert: me.cert, tlsKey: me.key }
      }]
    }
    expect(runSteps(kumaInventory(kumaBackup(backup), now)).monitors[0]).toMatchObject({ input: carried, notes: [] })
  })

  it("loses no monitor to a certificate that cannot be used, and says what is wrong with it", () => {
    const cases = [
      [{ ...mutual, tls_key: other.key }, /^Its client certificate is not carried: clientKey is not the key of/],
      [{ ...mutual, tls_key: null }, /^Its client certificate is not carried: certificate or key is missing$/],
      [{ ...mutual, tls_cert: "x" }, /^Its client certificate is not carried: clientCertificate contains no certificate/]
    ] as const
    for (const [fields, note] of cases) {
      expect(kumaRow(fields)).toMatchObject({ input: { url, tlsCa: carried.tlsCa }, notes: [expect.stringMatching(note)] })
    }
    expect(kumaRow({ ...mutual, tls_ca: "x" })).toMatchObject({
      input: { clientKey: carried.clientKey },
      notes: [expect.stringMatching(/^Its certificate authority is not carried: /)]
    })
  })

  it("keeps what the other sources say about errors of certificates", () => {
    const robot = (fields: object) => robotMonitor({ id: 1, type: "HTTP", url, interval: 60, ...fields }, new Map(), 0)?.input
    expect(robot({ checkSSLErrors: false })).toMatchObject({ tlsVerify: false })
    expect(robot({ ssl: { ignore_errors: 1 } })).toMatchObject({ tlsVerify: false })
    for (const fields of [{}, { checkSSLErrors: true }, { ssl: { ignore_errors: 0 } }]) {
      expect(robot(fields)).not.toHaveProperty("tlsVerify")
    }
    const better = (fields: object) =>
      betterMonitor({ id: "1", attributes: { monitor_type: "status", url, check_frequency: 60, ...fields } }, new Map(), 0)?.input
    expect(better({ verify_ssl: false })).toMatchObject({ tlsVerify: false })
    expect(better({ verify_ssl: true })).not.toHaveProperty("tlsVerify")
    const endpoints = [url, "tls://shop.example.com:993", "wss://shop.example.com/"].map((one, index) => (
      { name: `e${index}`, url: one, conditions: ["[CONNECTED] == true"], client: { insecure: true } }
    ))
    for (const { input } of runSteps(gatusInventory({ endpoints })).monitors) expect(input).toMatchObject({ tlsVerify: false })
  })

  it("leaves out a client certificate whose key a document hides, and pauses the monitor", () => {
    const entry = { key: "shop", name: "Shop", url, tlsVerify: false, clientCertificate: me.cert }
    const [found] = documentInventory({ monitors: [{ ...entry, clientKey: mask }] }, now).monitors
    expect(found).toMatchObject({
      input: { tlsVerify: false, paused: true },
      notes: ["Its clientKey is hidden in the document; set it again", "It starts paused"]
    })
    expect(found?.input).not.toHaveProperty("clientCertificate")
    const [whole] = documentInventory({ monitors: [{ ...entry, clientKey: me.key }] }, now).monitors
    expect(whole).toMatchObject({ input: { clientCertificate: me.cert, clientKey: me.key }, notes: [] })
  })
})
