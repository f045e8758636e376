/** When the certificates expire by which others trust this installation, as a metric. */
import type { X509Certificate } from "node:crypto"
import { Gauge } from "prom-client"
import { expiryOf } from "../../domain/check/answer/Certificates.ts"

const expiry = new Gauge({
  name: "belltower_certificate_expiry_timestamp_seconds",
  help:
    "When a certificate expires: at the public address of the installation, absent without https and where an api cannot read it, or of a file that a setting names",
  labelNames: ["host"]
})

/** `host`: that of the public address, or the name of the setting. */
export const showExpiry = (host: string, certificate: X509Certificate): void => {
  expiry.set({ host }, expiryOf(certificate) / 1000)
}
