/** Simulates other settings on the stored checks: a form, and its answer beside what did happen. */
import { Schema } from "effect"
import { type SimulatedCourse, Simulation } from "../../../../schema/monitor/Simulation.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { Choices } from "../../design/Choices.tsx"
import { Buttons, CallForm, Field, useAnswer } from "../../design/Form.tsx"
import { Badge, inWords, Panel, toneOfMonitor } from "../../design/Parts.tsx"
import { durationText, Moment, useNumber } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import type { MonitorDetail } from "./MonitorHead.tsx"

const decode = Schema.decodeUnknownOption(Simulation)

/** Outages listed of each course. */
const listed = 20

const Course = ({ monitorId, of, title }: {
  readonly title: string
  readonly of: SimulatedCourse
  readonly monitorId: string
}) => {
  const { locale } = useVisit()
  const { count } = useNumber()
  return (
    <div>
      <h3>{title}</h3>
      <p>
        {of.alerts === 1 ? "1 alert" : `${count(of.alerts)} alerts`}, {durationText(locale, `${of.downSec} seconds`)} down,{" "}
        {of.degradations === 1 ? "degraded once" : `degraded ${count(of.degradations)} times`}
      </p>
      <ul class="rows">
        {of.outages.slice(0, listed).map(({ cause, checkId, durationSec, from, state }) => (
          <li>
            <div>
              {checkId === null ? <Moment at={from} /> : (
                <a href={`/app/monitors/${monitorId}/checks/${checkId}`}>
                  <Moment at={from} />
                </a>
              )}
              <p class="note">
                {durationText(locale, `${durationSec} seconds`)}
                {cause === null ? "" : `, ${briefCause({ cause, statusCode: null })}`}
              </p>
            </div>
            <Badge tone={toneOfMonitor(state)}>{inWords(state)}</Badge>
          </li>
        ))}
      </ul>
      {of.outages.length > listed ? <p class="note">The first {listed} are listed.</p> : null}
    </div>
  )
}

const Result = () => {
  const answer = useAnswer("simulate")
  const { count } = useNumber()
  if (answer === null) return null
  const decoded = decode(answer)
  if (decoded._tag === "None") return null
  const { actual, checks, complete, from, monitorId, simulated, to } = decoded.value
  return (
    <section aria-live="polite" class="stack" id="simulation" tabindex={-1} data-focus data-answer>
      <p class="note">
        {count(checks)} checks from <Moment at={from} /> to <Moment at={to} />
        {complete ? "" : ". There were more; choose a shorter period to see its end"}.
      </p>
      <div class="columns">
        <Course title="With these settings" of={simulated} monitorId={monitorId} />
        <Course title="What happened" of={actual} monitorId={monitorId} />
      </div>
    </section>
  )
}

export const SimulateForm = ({ monitor }: { readonly monitor: MonitorDetail }) => (
  <Panel id="simulate-panel" title="Try other settings">
    <p class="note">
      Replays the checks of the last 7 days with other settings, and says what would have alerted. It changes nothing.
    </p>
    <CallForm call="simulate_monitor" id="simulate" fixed={{ monitorId: monitor.id }} class="form wide">
      <div class="columns">
        <Field
          name="failureThreshold"
          type="number"
          label="Failures before down"
          value={monitor.failureThreshold}
          attributes={{ min: 1, max: 10 }}
        />
        <Field
          name="recoveryThreshold"
          type="number"
          label="Successes before up"
          value={monitor.recoveryThreshold}
          attributes={{ min: 1, max: 10 }}
        />
        <Field
          name="intervalSec"
          type="number"
          label="Seconds between checks"
          value={monitor.intervalSec}
          attributes={{ min: monitor.intervalSec, max: 86_400 }}
        />
        <Field
          name="degradedAfterMs"
          type="number"
          label="Degraded above, ms"
          value={monitor.degradedAfterMs}
          attributes={{ min: 50, max: 120_000 }}
        />
      </div>
      {monitor.regions.length < 2 ?
        null :
        (
          <Choices
            name="regions"
            label="Regions that vote"
            options={monitor.regions.map((id) => [id, id])}
            values={monitor.regions}
          />
        )}
      <Buttons>
        <button>Simulate</button>
      </Buttons>
    </CallForm>
    <Result />
  </Panel>
)
