import './to-copy.css';
import { Copy } from './copy.tsx';

interface ToCopyProps {
  readonly text: string;
  /** What the button says. */
  readonly label?: string;
}

/** A text that belongs elsewhere, such as a key or a tag, and the button that copies it. */
export function ToCopy({ text, label }: ToCopyProps) {
  return (
    <div class="to-copy">
      <pre>{text}</pre>
      <Copy text={text} {...(label !== undefined && { label })} />
    </div>
  );
}
