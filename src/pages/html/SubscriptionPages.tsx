/** The contents of the pages of a subscription, in the subscriber's language: subscribe, confirm, manage and unsubscribe. */
import type { Subscribed, Subscriber } from "../../../schema/subscriber/Subscriber.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import type { SubscriptionWords } from "../../domain/words/en.ts"
import {
  type Choosable,
  ComponentBoxes,
  FeedLinks,
  KindBoxes,
  kindsFor,
  type Offer,
  SubscribeForm,
  type SubscribeFormProps
} from "./Subscribe.tsx"

interface Back {
  readonly url: string | null
  readonly words: SubscriptionWords
}

const BackLink = ({ url, words }: Back) =>
  url === null ? null : (
    <p>
      <a href={url}>{words.viewPage}</a>
    </p>
  )

/** One sentence, with a way back to the status page. */
export const SubscriptionNote = ({ text, ...back }: Back & { readonly text: string }) => (
  <>
    <p role="status">{text}</p>
    <BackLink {...back} />
  </>
)

export const InvalidLink = ({ text }: { readonly text: string }) => (
  <>
    <p role="alert">{text}</p>
    <p>
      <a href="/">Belltower</a>
    </p>
  </>
)

export const SubscribePage = ({ wrong, ...form }: SubscribeFormProps & { readonly wrong?: string | undefined }) => (
  <>
    {wrong === undefined ? null : <p class="wrong" role="alert" id="wrong">{wrong}</p>}
    <SubscribeForm {...form} />
    <FeedLinks {...form} />
    <BackLink {...form} />
  </>
)

/** The answer to a subscription without mail, shown once. */
export const SubscribedNote = ({ manage, subscribed, ...back }: Back & {
  readonly subscribed: Subscribed
  readonly manage: string
}) => (
  <>
    <p class="good" role="status">{back.words.confirmed}</p>
    {subscribed.signingSecret === undefined ? null : (
      <>
        <p>{back.words.signingSecret}</p>
        <p class="secret">{subscribed.signingSecret}</p>
      </>
    )}
    <p>
      <a href={manage}>{back.words.manage}</a>
    </p>
    <BackLink {...back} />
  </>
)

/** A question with one button: a mail scanner that opens the link changes nothing. */
export const AskPage = ({ action, button, text }: {
  readonly text?: string
  readonly button: string
  readonly action: string
}) => (
  <>
    {text === undefined ? null : <p>{text}</p>}
    <form method="post" action={action}>
      <button class="button">{button}</button>
    </form>
  </>
)

export const ManagePage = ({ action, components, groups, onlyAbout, saved, subscriber, url, words }: Back & Offer<Choosable> & {
  readonly action: string
  readonly subscriber: Subscriber
  /** The title of its only incident; null for all. */
  readonly onlyAbout: string | null
  readonly saved: boolean
}) => (
  <>
    {saved ? <p class="good" role="status">{words.saved}</p> : null}
    {onlyAbout === null ? null : <p>{words.onlyAbout(isolated(onlyAbout))}</p>}
    <form method="post" action={action} class="form">
      <KindBoxes chosen={subscriber.kinds} offered={kindsFor(subscriber.type)} words={words} />
      {components.length === 0 ? null : (
        <ComponentBoxes
          components={components}
          groups={groups}
          isChosen={({ id }) => subscriber.components.some((chosen) => chosen === id)}
          words={words}
        />
      )}
      <button class="button">{words.save}</button>
    </form>
    <form method="post" action={`${action}/unsubscribe`}>
      <button class="button quiet">{words.unsubscribe}</button>
    </form>
    <BackLink url={url} words={words} />
  </>
)
