/** Simulates other settings on the stored checks: a form, and its answer beside what did happen. */
import type { SimulatedCourse } from "../../../../schema/monitor/Simulation.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { writeDuration } from "../../../domain/tools/time/SpokenDuration.ts"
import { Choices } from "../../design/Choices.tsx"
import { DurationField } from "../../design/DurationField.tsx"
import { CallForm, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { MonitorBadge, Panel } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"

const listed = 20

const Timeline = ({ monitorId, of, title }: {
  readonly title: string
  readonly of: SimulatedCourse
  readonly monitorId: string
}) => {
  const { count, duration } = useNumber()
  return (
    <div>
      <h3>{title}</h3>
      <p>
        {of.alerts === 1 ? "1 alert" : `${count(of.alerts)} alerts`}, {duration(of.downSec)} down,{" "}
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
                {`${duration(durationSec)}${cause === null ? "" : `, ${briefCause({ cause, statusCode: null })}`}`}
              </p>
            </div>
            <MonitorBadge state={state} />
          </li>
        ))}
      </ul>
      {of.outages.length > listed ? <p class="note">The first {listed} are listed.</p> : null}
    </div>
  )
}

const Result = () => {
  const answer = useAnswerOf("simulate", "simulate_monitor")
  const { count } = useNumber()
  if (answer === null) return null
  const { actual, checks, complete, from, monitorId, simulated, to } = answer
  return (
    <section aria-live="polite" class="stack" id="simulation" tabindex={-1} data-focus data-answer>
      <p class="note">
        {count(checks)} {checks === 1 ? "check" : "checks"} from <Moment at={from} /> to <Moment at={to} />
        {complete ? "" : ". There were more; choose a shorter period to see its end"}.
      </p>
      <div class="columns">
        <Timeline title="With these settings" of={simulated} monitorId={monitorId} />
        <Timeline title="What happened" of={actual} monitorId={monitorId} />
      </div>
    </section>
  )
}

/** The numbers that can be tried, with the least and the largest value. */
const settings = [
  ["failureThreshold", "Failures before down", 1, 10],
  ["recoveryThreshold", "Successes before up", 1, 10]
] as const

export const SimulateForm = ({ monitor }: { readonly monitor: MonitorDetail }) => (
  <Panel id="simulate-panel" title="Try other settings">
    <p class="note">
      Replays the checks of the last 7 days with other settings, and shows what would have alerted. Nothing is changed.
    </p>
    <CallForm call="simulate_monitor" id="simulate" fixed={{ monitorId: monitor.id }} class="form wide">
      <div class="columns">
        {settings.map(([name, label, min, max]) => (
          <Field
            name={name}
            type="number"
            label={label}
            value={monitor[name]}
            attributes={{ min, max }}
          />
        ))}
        <DurationField
          name="intervalSec"
          as="seconds"
          label="Check every"
          value={monitor.intervalSec}
          hint={`${writeDuration(monitor.intervalSec * 1000)} or more: there are no checks in between.`}
        />
        <DurationField
          name="degradedAfterMs"
          as="millis"
          label="Degraded when slower than"
          placeholder="800 ms"
          value={monitor.degradedAfterMs}
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
      <Submit>Simulate</Submit>
    </CallForm>
    <Result />
  </Panel>
)
