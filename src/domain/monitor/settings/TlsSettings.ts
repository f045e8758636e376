/** Validates the settings of TLS connections: certificates and the client's key as PEM. */
import { Either } from "effect"
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { mask } from "../../../../schema/Mask.ts"
import type { Target } from "../../../../schema/monitor/kinds.ts"
import type { MonitorUpdate, RequestSecrets } from "../../../../schema/monitor/Monitor.ts"
import type { TlsTarget } from "../../../../schema/monitor/TlsSettings.ts"
import type { Refusal } from "../../Refusal.ts"
import { orBefore } from "../MonitorKindSpec.ts"

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** The certificates in a text of PEM, in its order. Throws if one cannot be read. */
export const certificatesIn = (pem: string): ReadonlyArray<X509Certificate> =>
  (pem.match(certificateBlock) ?? []).map((block) => new X509Certificate(block))

export const pemRefusal = (path: "tlsCa" | "clientCertificate", pem: string): Refusal | null => {
  if (pem.includes("PRIVATE KEY-----")) {
    return { path, message: `${path} contains a private key, and is not stored encrypted`, hint: "Put the key into clientKey" }
  }
  const hint = "Paste the text from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, with its line breaks"
  return Either.match(Either.try(() => certificatesIn(pem)), {
    onLeft: () => ({ path, message: `${path} contains a certificate that cannot be read`, hint }),
    onRight: (found) => found.length === 0 ? { path, message: `${path} contains no certificate in PEM`, hint } : null
  })
}

/** An empty text clears a setting, as null does. */
const pemOf = (
  path: "tlsCa" | "clientCertificate",
  input: MonitorUpdate,
  base: TlsTarget | null
): Either.Either<string | null, Refusal> => {
  const given = input[path] === "" ? null : input[path]
  const refused = typeof given === "string" ? pemRefusal(path, given) : null
  return refused === null ? Either.right(orBefore(given, base?.[path])) : Either.left(refused)
}

/** The settings after an edit, without those that have their usual value. */
export const settleTls = (input: MonitorUpdate, base: TlsTarget | null): Either.Either<TlsTarget, Refusal> =>
  Either.gen(function*() {
    const tlsVerify = input.tlsVerify ?? base?.tlsVerify ?? true
    const tlsCa = yield* pemOf("tlsCa", input, base)
    const clientCertificate = yield* pemOf("clientCertificate", input, base)
    return {
      ...(tlsVerify ? {} : { tlsVerify }),
      ...(tlsCa === null ? {} : { tlsCa }),
      ...(clientCertificate === null ? {} : { clientCertificate })
    }
  })

/** Settings that have no meaning without TLS. */
export const usesTls = ({ clientCertificate = null, tlsCa = null }: TlsTarget): boolean =>
  tlsCa !== null || clientCertificate !== null

const keyRefusal = (message: string, hint: string): Refusal => ({ path: "clientKey", message, hint })

const readKey = (pem: string): Either.Either<KeyObject, Refusal> =>
  Either.try({
    try: () => createPrivateKey(pem),
    catch: () =>
      pem.includes("ENCRYPTED")
        ? keyRefusal("clientKey is protected by a passphrase", "Remove it: openssl pkey -in key.pem -out plain.pem")
        : keyRefusal("clientKey is not a private key in PEM", "Paste the text from -----BEGIN to -----END, with its line breaks")
  })

/** Why a client certificate and its key do not work together; null if they do. */
export const pairRefusal = (certificate: string, clientKey: string): Refusal | null =>
  Either.match(readKey(clientKey), {
    onLeft: (refused) => refused,
    onRight: (key) => {
      if (certificatesIn(certificate)[0]?.checkPrivateKey(key) !== true) {
        return keyRefusal(
          "clientKey is not the key of the first certificate in clientCertificate",
          "Send both together, the certificate of the key first and then its chain"
        )
      }
      const usable = Either.try(() => createSecureContext({ cert: certificate, key: clientKey, ciphers: "DEFAULT@SECLEVEL=0" }))
      return Either.isRight(usable) ? null : keyRefusal("clientKey cannot be used for TLS", "Use an RSA or an elliptic-curve key")
    }
  })

/** The key after an edit. It goes with its certificate; stored pairs were checked when they were given. */
export const settleClientKey = (
  input: MonitorUpdate,
  target: Target,
  kept: RequestSecrets["clientKey"]
): Either.Either<string | null, Refusal> => {
  const clientCertificate = "clientCertificate" in target ? target.clientCertificate ?? null : null
  if (clientCertificate === null) {
    return typeof input.clientKey === "string" && input.clientKey !== "" && input.clientKey !== mask
      ? Either.left({ path: "clientCertificate", message: "clientKey needs clientCertificate" })
      : Either.right(null)
  }
  if (kept === null || kept === "") {
    return Either.left(keyRefusal("clientKey is required with clientCertificate", "Set clientCertificate to null to remove both"))
  }
  const isGiven = input.clientKey !== undefined || input.clientCertificate !== undefined
  const refused = isGiven ? pairRefusal(clientCertificate, kept) : null
  return refused === null ? Either.right(kept) : Either.left(refused)
}
