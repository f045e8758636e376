/** Rules of the view of images. */
export const imageStyle = `
.thumb{display:inline-flex;flex-wrap:wrap;gap:6px 12px;align-items:center;color:var(--text);text-decoration:none}
.thumb:hover span{text-decoration:underline}
.thumb img{width:96px;height:60px;object-fit:contain;border:1px solid var(--line);border-radius:6px;background:var(--sunk)}
`
