import { describe, expect, test } from 'vitest';
import { fencedBlock, inlineCode, inlineName } from './markdown-text.ts';
import { redactText } from './redact-text.ts';
import { cutText, visibleText } from './visible-text.ts';

describe('inlineCode', () => {
  test('every ASCII punctuation character becomes a numeric entity', () => {
    expect(inlineCode('a|b `c` <b> & [x](y)')).toBe(
      '<code>a&#124;b &#96;c&#96; &#60;b&#62; &#38; &#91;x&#93;&#40;y&#41;</code>',
    );
  });

  test('line breaks and tabs become spaces', () => {
    expect(inlineCode('a\r\n# b\tc')).toBe('<code>a &#35; b c</code>');
  });

  test('addresses are split so that no renderer links them', () => {
    expect(inlineCode('me@host.example')).toBe('<code>me&#64;<wbr>host&#46;example</code>');
    expect(inlineCode('https://evil.example')).toBe('<code>https&#58;<wbr>&#47;&#47;evil&#46;example</code>');
    expect(inlineCode('www.evil.example')).toBe('<code>www<wbr>&#46;evil&#46;example</code>');
  });

  test('text beyond the limit is cut and the rest counted', () => {
    expect(inlineCode('x'.repeat(205))).toBe(`<code>${'x'.repeat(200)}… 5 more characters</code>`);
  });

  test('blank text is shown as (empty)', () => {
    expect(inlineCode(' \n')).toBe('(empty)');
  });
});

describe('inlineName', () => {
  test('a name of plain words stays as it is', () => {
    expect(inlineName('Business hours query')).toBe('Business hours query');
    expect(inlineName('tool_call_accuracy')).toBe('tool_call_accuracy');
    expect(inlineName('Öffnungszeiten')).toBe('Öffnungszeiten');
  });

  test.each(['a*b*', '_x_', '# one', 'deadbeef1', 'a  b', 'see #12', '@team'])('%s is shown as code', (name) => {
    expect(inlineName(name)).toMatch(/^<code>/);
  });
});

describe('fencedBlock', () => {
  test('the fence is longer than any run of backticks inside', () => {
    expect(fencedBlock('x\n````\ny')).toBe('`````text\nx\n````\ny\n`````');
  });

  test('an answer that tries to close its fence stays inside', () => {
    const block = fencedBlock('```\n# PASSED\n```');
    expect(block.split('\n')[0]).toBe('````text');
    expect(block.endsWith('\n````')).toBe(true);
  });

  test('too many lines and too long lines are cut with a mark', () => {
    expect(fencedBlock('a\nb\nc', { maxLines: 2 })).toBe('```text\na\nb\n… 1 more line\n```');
    expect(fencedBlock('abcdef', { maxLineUnits: 4 })).toBe('```text\nabcd… 2 more characters\n```');
  });

  test('a hundred thousand lines of backticks are handled', () => {
    expect(fencedBlock('`\n'.repeat(100_000)).split('\n').length).toBeLessThan(405);
  });
});

describe('visibleText', () => {
  test('bidirectional, tag, control and zero-width characters are shown', () => {
    expect(visibleText('a\u{202E}b\u{E0041}c\u{0085}d\u{200B}e\u{1B}[31m')).toBe(
      'a\\u{202E}b\\u{E0041}c\\u{0085}d\\u{200B}e\\u{001B}[31m',
    );
  });

  test('NUL and lone surrogates become the replacement character', () => {
    expect(visibleText('a\0b\u{D800}c')).toBe('a\u{FFFD}b\u{FFFD}c');
  });

  test('joiners stay inside emoji and joined scripts and are shown elsewhere', () => {
    expect(visibleText('👩‍💻 ❤️')).toBe('👩‍💻 ❤️');
    expect(visibleText('می‌خواهم')).toBe('می‌خواهم');
    expect(visibleText('@\u{200D}team a\u{200C}b')).toBe('@\\u{200D}team a\\u{200C}b');
  });
});

describe('cutText', () => {
  test('a character made of several code points is not split', () => {
    expect(cutText('ab👩‍💻cd', 4)).toBe('ab… 7 more characters');
  });

  test('a character of a thousand combining marks is cut inside', () => {
    expect(cutText(`a${'\u{301}'.repeat(1000)}`, 500).length).toBeLessThan(530);
  });
});

describe('redactText', () => {
  test.each([
    `ghp_${'a1'.repeat(18)}`,
    `github_pat_${'a'.repeat(30)}`,
    `sk-proj-${'x'.repeat(30)}`,
    `pmk_${'x'.repeat(24)}`,
    'AKIAABCDEFGHIJKLMNOP',
    '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  ])('a key is masked: %s', (key) => {
    expect(redactText(`key: ${key}.`)).toBe('key: [redacted].');
  });

  test('ordinary text is left alone', () => {
    expect(redactText('ask-me task-list sk-1')).toBe('ask-me task-list sk-1');
  });
});
