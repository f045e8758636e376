/** The weekly digests that a person gets, which each digest links to. */
import { DateTime, Effect } from "effect"
import type { MyDigest } from "../../../../schema/people/Person.ts"
import { CallForm } from "../../design/Form.tsx"
import { Empty, Panel } from "../../design/Parts.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { AccountHead } from "./AccountHead.tsx"

/** A digest is sent by the clock of its workspace. */
const nextIn = (locale: string, { nextSendAt, timezone }: MyDigest): string => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short", timeZone: timezone })
  return `Next on ${format.format(DateTime.toDate(nextSendAt))} (${timezone})`
}

const Row = ({ digest }: { readonly digest: MyDigest }) => {
  const { locale } = useVisit()
  const { id, name, subscribed } = digest
  return (
    <li>
      <div>
        <b>{name}</b>
        <p class="note">{subscribed ? nextIn(locale, digest) : "You do not get this digest."}</p>
      </div>
      <CallForm
        call="update_my_digest"
        id={`digest-${id}`}
        fixed={{ id, "subscribed:boolean": !subscribed }}
        then="/app/digest"
        said="Saved"
        class="button-form"
      >
        <button class="plain tight" aria-label={`${subscribed ? "Unsubscribe from" : "Subscribe to"} the digest of ${name}`}>
          {subscribed ? "Unsubscribe" : "Subscribe"}
        </button>
      </CallForm>
    </li>
  )
}

const digests = Effect.gen(function*() {
  const { capturesMail, person } = yield* Visit
  const { data } = yield* read("my_digests")
  const captured = capturesMail ? " No mail server is set, so digests are captured, not sent." : ""
  return {
    title: "Weekly digest",
    body: (
      <>
        <AccountHead
          title="Weekly digest"
          here="/app/digest"
          note={`What happened in a workspace, by email to ${person.user.email} on Mondays at 08:00 of its time zone.${captured}`}
        />
        <Panel id="digests" title="Your workspaces" flush>
          {data.length === 0
            ? <Empty title="No digests" text="You are not a member of a workspace." />
            : <ul class="rows">{data.map((digest) => <Row digest={digest} />)}</ul>}
        </Panel>
      </>
    )
  }
})

export const digestsView = view("/app/digest", "account", digests)
