/** The parts of a check's evidence: request, response, certificate, assertions, and what dns, scripts and browsers saw. */
import type {
  AssertionResult,
  BrowserEvidence,
  Certificate,
  DnsEvidence,
  Evidence,
  McpEvidence,
  ScriptEvidence
} from "../../../../schema/check/Check.ts"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Badge, Facts, ListPanel, Panel, TargetText } from "../../design/Parts.tsx"
import { FigureTable } from "../../design/Table.tsx"
import { useNumber } from "../../design/Time.tsx"

/** A table of texts that the target wrote; nothing without any. */
const Listing = ({ columns, label, rows }: {
  readonly label: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}) =>
  rows.length === 0 ? null : (
    <div class="scroll tall" tabindex={0} role="region" aria-label={label}>
      <FigureTable columns={columns}>
        {rows.map((row) => <tr>{row.map((cell) => <td class="mono">{cell}</td>)}</tr>)}
      </FigureTable>
    </div>
  )

export const RequestPart = ({ of: { redirects, remoteAddress, request } }: { readonly of: Evidence }) => (
  <Panel id="request" title="Request">
    <Facts
      of={[
        ["Request", <span class="mono">{`${request.method} ${request.url}`}</span>],
        ["Address", remoteAddress === null ? null : <span class="mono">{remoteAddress}</span>],
        [
          "Redirects",
          redirects.length === 0
            ? null
            : <ol>{redirects.map(({ statusCode, url }) => <li class="mono">{`${statusCode} ${url}`}</li>)}</ol>
        ]
      ]}
    />
    <p class="note">The headers and the body that are sent are in the monitor's settings; secrets are never shown.</p>
  </Panel>
)

export const ResponsePart = ({ of: { body, bodyTruncated, responseHeaders } }: { readonly of: Evidence }) => {
  const headers = Object.entries(responseHeaders)
  if (headers.length === 0 && body === null) return null
  return (
    <Panel id="response" title="Response">
      <Listing label="Response headers" columns={["Header", "Value"]} rows={headers} />
      {body === null || body === "" ? <p class="note">No body.</p> : <TargetText label="Body">{body}</TargetText>}
      {bodyTruncated ? <p class="note">Only the first 16 KiB are kept.</p> : null}
    </Panel>
  )
}

export const CertificatePart = ({ of }: { readonly of: Certificate }) => (
  <Panel
    id="certificate"
    title="Certificate"
    actions={
      <Badge tone={of.authorized ? (of.daysLeft < 14 ? "warn" : "good") : "bad"}>
        {of.authorized ? `${counted(of.daysLeft, "day")} left` : of.authorizationError ?? "Not trusted"}
      </Badge>
    }
  >
    <Facts
      of={[
        ["Subject", <span class="mono">{of.subject}</span>],
        ["Names", of.altNames.slice(0, 20).join(", ")],
        ["Issuer", <span class="mono">{of.issuer}</span>],
        ["TLS version", of.tlsVersion],
        ["Valid", `${of.validFrom} to ${of.validTo}`],
        ["SHA-256", <span class="mono">{of.fingerprint256}</span>]
      ]}
    />
    <Listing
      label="Chain"
      columns={["Chain", "Issued by", "Valid to", "Days left"]}
      rows={(of.chain ?? []).map(({ daysLeft, issuer, subject, validTo }) => [subject, issuer, validTo, String(daysLeft)])}
    />
  </Panel>
)

const conditionOf = (assertion: Assertion | undefined): string =>
  assertion === undefined
    ? "Condition"
    : [assertion.source, assertion.path, assertion.op.replaceAll("_", " "), assertion.value].filter((part) => part !== undefined)
      .join(" ")

export const AssertionsPart = ({ assertions, results }: {
  readonly results: ReadonlyArray<AssertionResult>
  readonly assertions: ReadonlyArray<Assertion>
}) =>
  results.length === 0 ? null : (
    <ListPanel id="assertions" title="Assertions">
      {results.map(({ actual, index, message, passed }) => (
        <li>
          <div>
            <b>{conditionOf(assertions[index])}</b>
            <p class="note">
              {message}
              {actual === null ? "" : `. Actual: ${actual}`}
            </p>
          </div>
          <Badge tone={passed ? "good" : "bad"}>{passed ? "Passed" : "Failed"}</Badge>
        </li>
      ))}
    </ListPanel>
  )

export const DnsPart = ({ of: { answers, attempts, authoritative, protocol, rcode } }: { readonly of: DnsEvidence }) => (
  <Panel id="dns" title="DNS answer">
    <Facts of={[["Response code", rcode ?? "No answer"], ["Over", protocol], ["Authoritative", authoritative ? "Yes" : "No"]]} />
    <Listing
      label="Answers"
      columns={["Name", "Type", "TTL", "Value"]}
      rows={answers.map(({ name, ttl, type, value }) => [name, type, ttl === null ? "" : String(ttl), value])}
    />
    <Listing
      label="Servers asked"
      columns={["Server", "Result"]}
      rows={attempts.map(({ resolver, result }) => [resolver, result])}
    />
  </Panel>
)

/** The tools are shown as `pinnedTools` takes them, to be copied. */
export const McpPart = ({ of: { protocolVersion, server, tools } }: { readonly of: McpEvidence }) => (
  <Panel id="mcp" title="MCP server">
    <Facts of={[["Server", server], ["Protocol", protocolVersion], ["Tools", String(tools.length)]]} />
    {tools.length === 0 ? null : (
      <figure>
        <figcaption class="note">Tools with digests of their input schemas, as pinned tools are given</figcaption>
        <pre class="block untrusted" tabindex={0}>{tools.join("\n")}</pre>
      </figure>
    )}
  </Panel>
)

export const Log = ({ lines }: { readonly lines: ScriptEvidence["logs"] }) =>
  lines.length === 0 ? <p class="note">Nothing was logged.</p> : (
    <figure>
      <figcaption class="note">Log, as the script or its target wrote it</figcaption>
      <pre class="block untrusted log" tabindex={0}>
        {lines.map(({ level, text }) => <span class={level}>{`${level === "log" ? "" : `${level}: `}${text}\n`}</span>)}
      </pre>
    </figure>
  )

/** The steps of a script or a browser in order, each with a bar for its time. */
export const Steps = ({ label, of }: {
  readonly label: string
  readonly of: ReadonlyArray<{ readonly name: string; readonly ms: number; readonly error: string | null }>
}) => {
  const { millis } = useNumber()
  const most = Math.max(1, ...of.map(({ ms }) => ms))
  return of.length === 0 ? null : (
    <ol class="run-steps" aria-label={label}>
      {of.map(({ error, ms, name }) => (
        <li>
          <Badge tone={error === null ? "good" : "bad"}>{error === null ? "Passed" : "Failed"}</Badge>
          <span class="step-name">{name}</span>
          <span class="num">{millis(ms)}</span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect
              width={Math.max(1, Math.round(ms / most * 100))}
              height="4"
              class={`is-${error === null ? "good" : "bad"} mark`}
            />
          </svg>
          {error === null ? null : <p class="error">{error}</p>}
        </li>
      ))}
    </ol>
  )
}

export const ScriptPart = ({ of: { logs, logsCut, requests, steps } }: { readonly of: ScriptEvidence }) => {
  const { millis } = useNumber()
  return (
    <Panel id="script" title="Script">
      <Steps label="Steps" of={steps} />
      <Listing
        label="Requests"
        columns={["Request", "Status", "Time", "Error"]}
        rows={requests.map(({ error, method, ms, status, url }) => [
          `${method} ${url}`,
          status === null ? "–" : String(status),
          millis(ms),
          error ?? ""
        ])}
      />
      <Log lines={logs} />
      {logsCut ? <p class="note">The log was cut at 200 lines or 16,384 characters.</p> : null}
    </Panel>
  )
}

export const Screenshots = ({ of }: { readonly of: BrowserEvidence["screenshots"] }) => (
  <>
    {of.map(({ jpeg, name }) => (
      <figure>
        <figcaption class="note">{name}</figcaption>
        <img class="shot" alt={`Screenshot: ${name}`} src={`data:image/jpeg;base64,${jpeg}`} />
      </figure>
    ))}
  </>
)

export const BrowserPart = (
  { of: { actions, console, refused, requests, screenshots, title, url } }: { readonly of: BrowserEvidence }
) => {
  return (
    <Panel id="browser" title="Browser">
      <Facts of={[["Page", url === null ? null : <span class="mono">{url}</span>], ["Title", title]]} />
      <Screenshots of={screenshots} />
      <Steps label="Actions" of={actions.map(({ action, ...rest }) => ({ name: action, ...rest }))} />
      <Listing
        label="Documents and failed requests"
        columns={["URL", "Status", "Error"]}
        rows={requests.map((
          { error, status, url: address }
        ) => [address, status === null ? "–" : String(status), error ?? ""])}
      />
      <Listing label="Hosts not reached" columns={["Host", "Why"]} rows={refused.map(({ error, host }) => [host, error])} />
      <Log lines={console} />
    </Panel>
  )
}
