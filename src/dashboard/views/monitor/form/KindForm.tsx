/** A kind's part of the monitor form, and the fields that several kinds have. */
import type { ComponentChildren } from "preact"
import type { Assertion } from "../../../../../schema/monitor/Assertion.ts"
import { CodeArea, type Snippet } from "../../../design/CodeArea.tsx"
import { Area, Check } from "../../../design/Form.tsx"
import { DurationSetting, type Edited, NumberSetting, TextSetting } from "./SettingFields.tsx"

export interface KindForm {
  /** For people. */
  readonly name: string
  readonly about: string
  /** The fields that most people fill in. */
  readonly main: (monitor: Edited) => ComponentChildren
  /** The others, under "More". */
  readonly more?: (monitor: Edited) => ComponentChildren
  /** The subjects of its assertions. Default: it has none. */
  readonly assertions?: ReadonlyArray<Assertion["source"]>
  /** Whether probes check it at an interval. Default: true. */
  readonly probed?: false
  /** The interval that a new monitor gets, seconds. Default: 60. */
  readonly usualSec?: number
}

export const urlField = (monitor: Edited, placeholder: string) => (
  <TextSetting name="url" type="url" label="URL" required value={monitor?.url} placeholder={placeholder} />
)

export const socketField = (monitor: Edited) => (
  <TextSetting
    name="url"
    type="url"
    as="socket"
    label="URL"
    required
    value={monitor?.url}
    placeholder="wss://example.com/socket"
  />
)

export const hostField = (monitor: Edited, placeholder: string, label = "Host") => (
  <TextSetting name="host" as="host" label={label} required value={monitor?.host} placeholder={placeholder} />
)

export const portField = (monitor: Edited) => <NumberSetting name="port" label="Port" required value={monitor?.port} />

export const headersField = (monitor: Edited, label = "Request headers") => (
  <Area
    name="headers"
    as="pairs"
    code
    label={label}
    rows={3}
    value={Object.entries(monitor?.headers ?? {}).map(([name, value]) => `${name}: ${value}`).join("\n")}
    hint="One per line, for example Accept: application/json. Stored encrypted; leave a masked value as it is to keep it."
  />
)

export const bodyField = (monitor: Edited, label: string) => (
  <CodeArea name="body" as="text?" language="json" label={label} rows={4} value={monitor?.body} hint="Stored encrypted." />
)

export const slowField = (monitor: Edited) => (
  <DurationSetting
    name="degradedAfterMs"
    label="Degraded when slower than"
    clears
    unit="millis"
    placeholder="800 ms"
    value={monitor?.degradedAfterMs}
    hint="Leave empty to ignore latency."
  />
)

const certificateField = (monitor: Edited) => (
  <NumberSetting
    name="sslExpiryDays"
    label="Degraded before the certificate expires"
    clears
    unit="days"
    value={monitor?.sslExpiryDays}
    placeholder="14"
  />
)

/** The limits at which a successful check is degraded. */
export const degradedFields = (monitor: Edited) => (
  <>
    {slowField(monitor)}
    {certificateField(monitor)}
  </>
)

export const tlsField = (monitor: Edited, usual: boolean) => <Check name="tls" label="Use TLS" checked={monitor?.tls ?? usual} />

export const tlsVerifyField = (monitor: Edited) => (
  <Check
    name="tlsVerify"
    label="Down if browsers refuse the certificate"
    checked={monitor?.tlsVerify ?? true}
    hint="Turn off to accept any certificate, such as a self-signed one."
  />
)

/** Folded away, because few targets need them. */
export const certificateFields = (monitor: Edited) => (
  <details class="more" open={monitor?.tlsVerify === false || (monitor?.tlsCa ?? monitor?.clientCertificate ?? null) !== null}>
    <summary>Certificates</summary>
    <div class="form wide">
      {tlsVerifyField(monitor)}
      <Area
        name="tlsCa"
        as="text?"
        code
        label="Certificate authority"
        rows={3}
        value={monitor?.tlsCa}
        hint="PEM. Trusted in addition to the public authorities."
      />
      <Area
        name="clientCertificate"
        as="text?"
        code
        label="Client certificate"
        rows={3}
        value={monitor?.clientCertificate}
        hint="PEM with its chain, for servers that require one."
      />
      <Area
        name="clientKey"
        as="text?"
        code
        label="Key of the client certificate"
        rows={3}
        value={monitor?.clientKey}
        hint="PEM, without a passphrase. Stored encrypted; leave a masked value as it is to keep it."
      />
    </div>
  </details>
)

export const codeField = (monitor: Edited, example: string, hint: string, snippets: ReadonlyArray<Snippet>) => (
  <CodeArea
    name="code"
    language="javascript"
    label="Code"
    rows={14}
    required
    value={monitor?.code}
    placeholder={example}
    hint={hint}
    snippets={snippets}
  />
)
