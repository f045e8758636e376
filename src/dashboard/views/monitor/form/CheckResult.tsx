/** The result of a check that was just made, with its evidence. */
import type { ComponentChildren } from "preact"
import { counted } from "../../../../domain/tools/text/Counted.ts"
import { Badge, Facts, inWords, Panel, TargetText } from "../../../design/Parts.tsx"
import { useNumber } from "../../../design/Time.tsx"
import type { AnswerOf } from "../../../frame/DashboardApi.ts"
import { OutcomeBadge, outcomeTones } from "../CheckRows.tsx"
import { Log, Screenshots, Steps } from "../EvidenceParts.tsx"

type Result = Pick<
  AnswerOf<"preview_check">,
  "outcome" | "statusCode" | "latencyMs" | "error" | "region" | "timings" | "evidence"
>

const phases = [["dnsMs", "DNS"], ["connectMs", "Connection"], ["tlsMs", "TLS"], ["firstByteMs", "First byte"]] as const

const Timings = ({ timings }: { readonly timings: Result["timings"] }) => {
  const { millis } = useNumber()
  if (timings === null) return null
  const parts = phases.flatMap(([name, label]) => {
    const ms = timings[name]
    return ms === null ? [] : [`${label} ${millis(ms)}`]
  })
  return <>{parts.length === 0 ? millis(timings.totalMs) : parts.join(", ")}</>
}

const Assertions = ({ of }: { readonly of: NonNullable<Result["evidence"]>["assertions"] }) =>
  of.length === 0 ? null : (
    <ul class="rows">
      {of.map(({ message, passed }) => (
        <li>
          <div>{message}</div>
          <Badge tone={passed ? "good" : "bad"}>{passed ? "Holds" : "Fails"}</Badge>
        </li>
      ))}
    </ul>
  )

/** The run of a script: its steps, its requests if it has no steps, and its log. */
const ScriptResult = ({ of: { browser, script } }: { readonly of: NonNullable<Result["evidence"]> }) => (
  <>
    {script === undefined ? null : (
      <>
        <Steps label="Steps" of={script.steps} />
        <Steps
          label="Requests"
          of={script.requests.map(({ error, method, ms, status, url }) => ({
            name: `${method} ${url}${status === null ? "" : `, ${status}`}`,
            ms,
            error
          }))}
        />
        {script.logs.length === 0 ? null : <Log lines={script.logs} />}
      </>
    )}
    {browser === undefined ?
      null :
      <Steps label="Actions" of={browser.actions.map(({ action, error, ms }) => ({ name: action, ms, error }))} />}
  </>
)

export const CheckResult = ({ children, result, title = "Check result" }: {
  readonly result: Result
  readonly title?: string
  readonly children?: ComponentChildren
}) => {
  const { millis } = useNumber()
  const { error, evidence, latencyMs, outcome, region, statusCode, timings } = result
  const certificate = evidence?.certificate ?? null
  return (
    <Panel id="check-result" title={title} actions={<OutcomeBadge outcome={outcome} />}>
      <div role="status">
        {outcome === "up"
          ? <p>The target answered as it should.</p>
          : <p class={`outcome is-${outcomeTones[outcome]}`}>{error ?? inWords(outcome)}</p>}
      </div>
      <Facts
        of={[
          ["Latency", latencyMs === null ? null : millis(latencyMs)],
          ["Status", statusCode],
          ["Phases", timings === null ? null : <Timings timings={timings} />],
          ["Region", region],
          ["Address", evidence?.remoteAddress],
          [
            "Certificate",
            certificate === null
              ? null
              : `${certificate.subject}, until ${certificate.validTo}, ${counted(certificate.daysLeft, "day")} left`
          ]
        ]}
      />
      {evidence === null ? null : (
        <>
          <ScriptResult of={evidence} />
          <Assertions of={evidence.assertions} />
          <Screenshots of={evidence.browser?.screenshots ?? []} />
          {Object.keys(evidence.responseHeaders).length === 0 ? null : (
            <details>
              <summary>Response headers</summary>
              <TargetText label="Headers">
                {Object.entries(evidence.responseHeaders).map(([name, value]) => `${name}: ${value}`).join("\n")}
              </TargetText>
            </details>
          )}
          {evidence.body === null ? null : (
            <details>
              <summary>Body</summary>
              <TargetText label={evidence.bodyTruncated ? "The first 16 KiB of the body" : "The body"}>
                {evidence.body}
              </TargetText>
            </details>
          )}
        </>
      )}
      {children}
    </Panel>
  )
}
