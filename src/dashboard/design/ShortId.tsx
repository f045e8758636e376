/** An id, shortened in its middle: hovering shows the whole, and a script adds a button that copies it. */

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
