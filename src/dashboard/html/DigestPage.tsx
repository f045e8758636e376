/** The digests that a person gets, which each digest links to. */
import { DateTime } from "effect"
import type { PersonDigest } from "../../operations/digest/PersonDigests.ts"
import { Frame } from "./Frame.tsx"

const dateIn = (at: DateTime.Utc, timezone: string): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "short", timeZone: timezone }).format(DateTime.toDate(at))

export const DigestPage = ({ captures, digests, email, saved }: {
  /** Whether no mail server is set. */
  readonly captures: boolean
  readonly email: string
  readonly digests: ReadonlyArray<PersonDigest>
  readonly saved: boolean
}) => (
  <Frame email={email} here="/app/digest">
    <h1>Weekly digest</h1>
    <p class="note">What happened in a workspace, by email to {email} on Mondays at 08:00 of its time zone.</p>
    {captures ? <p class="note">No mail server is set, so digests are captured, not sent.</p> : null}
    {saved ? <p class="good" role="status">Saved.</p> : null}
    <section>
      {digests.length === 0 ? <p class="card">You are not a member of a workspace.</p> : (
        <ul class="card rows">
          {digests.map(({ id, name, nextSendAt, subscribed, timezone }) => (
            <li>
              <div>
                <b>{name}</b>
                <p>{subscribed ? `Next on ${dateIn(nextSendAt, timezone)} (${timezone})` : "You do not get this digest."}</p>
              </div>
              <form method="post" action={`/app/digest/${id}`}>
                <input type="hidden" name="subscribed" value={String(!subscribed)} />
                <button class="plain" aria-label={`${subscribed ? "Unsubscribe from" : "Subscribe to"} the digest of ${name}`}>
                  {subscribed ? "Unsubscribe" : "Subscribe"}
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </section>
  </Frame>
)
