/** The weekly digests that a person gets, which each digest links to. */
import { DateTime } from "effect"
import type { MyDigest } from "../../../../schema/people/Person.ts"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { CallForm } from "../../design/Form.tsx"
import { Item, ListPanel } from "../../design/Parts.tsx"
import { read, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { accountTabs } from "./AccountTabs.ts"

/** A digest is sent by the clock of its workspace. */
const nextIn = (locale: string, { nextSendAt, timezone }: MyDigest): string =>
  `Next on ${momentsIn(locale, timezone, "announced").format(DateTime.toEpochMillis(nextSendAt))} (${timezone})`

const Row = ({ digest }: { readonly digest: MyDigest }) => {
  const { locale } = useVisit()
  const { id, name, subscribed } = digest
  return (
    <Item name={name} note={subscribed ? nextIn(locale, digest) : "You do not get this digest."}>
      <CallForm
        call="update_my_digest"
        id={`digest-${id}`}
        fixed={{ id, "subscribed:boolean": !subscribed }}
        said="Saved"
        class="button-form"
      >
        <button class="plain tight" aria-label={`${subscribed ? "Unsubscribe from" : "Subscribe to"} the digest of ${name}`}>
          {subscribed ? "Unsubscribe" : "Subscribe"}
        </button>
      </CallForm>
    </Item>
  )
}

export const digestsView = view("/app/digest", "account", function*({ capturesMail, person }) {
  const { data } = yield* read("my_digests")
  const captured = capturesMail ? " No mail server is set, so digests are captured, not sent." : ""
  return {
    title: "Digest emails",
    head: {
      tabs: accountTabs("/app/digest"),
      note: `What happened in a workspace, by email to ${person.user.email} on Mondays at 08:00 of its time zone.${captured}`
    },
    body: (
      <ListPanel id="digests" title="Your workspaces" none={["No digests", "You are not a member of a workspace."]}>
        {data.map((digest) => <Row digest={digest} />)}
      </ListPanel>
    )
  }
})
