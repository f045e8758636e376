/** Texts with a button that copies them: ids, addresses, and secrets that are shown once. */

/** A script shows the button. */
export const CopyText = ({ id, value }: { readonly id: string; readonly value: string }) => (
  <div class="secret">
    <code id={id}>{value}</code>
    <button type="button" class="plain tight" data-copy={id} hidden>Copy</button>
  </div>
)

export const Secret = ({ id, label, value }: { readonly id: string; readonly label: string; readonly value: string }) => (
  <div role="status" class="stack">
    <p>
      <b>{label}</b> It is shown only now.
    </p>
    <CopyText id={id} value={value} />
  </div>
)

/** Keeps the prefix of the record's kind and the end, which differs between ids. */
const shortened = (id: string): string => (id.length <= 18 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`)

export const ShortId = ({ id, link = null }: { readonly id: string; readonly link?: string | null }) => (
  <span class="nowrap">
    {link === null ? <code title={id}>{shortened(id)}</code> : (
      <a href={link} title={id}>
        <code>{shortened(id)}</code>
      </a>
    )}{" "}
    <button type="button" class="link small" data-copy data-text={id} hidden>
      Copy<span class="sr">{" "}{id}</span>
    </button>
  </span>
)
