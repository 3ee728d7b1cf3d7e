// Evaluates jq programs by gojq, as Direktiv does. Reads lines of JSON, [program, [inputs...]], and writes for each the
// line [program, results...]. A result is the list of the first outputs, 5 at most; a
// number counts failures in a row.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/itchyny/gojq"
)

const most = 5

func run(program string, input interface{}) (result interface{}) {
	defer func() {
		if recover() != nil {
			result = nil
		}
	}()
	query, err := gojq.Parse(program)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	outputs := []json.RawMessage{}
	iter := query.RunWithContext(ctx, input)
	for len(outputs) < most {
		value, ok := iter.Next()
		if !ok {
			break
		}
		if _, failed := value.(error); failed {
			return nil
		}
		text, _ := gojq.Marshal(value)
		outputs = append(outputs, text)
	}
	return outputs
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var row []json.RawMessage
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			panic(err)
		}
		var program string
		var inputs []json.RawMessage
		json.Unmarshal(row[0], &program)
		json.Unmarshal(row[1], &inputs)
		line := []interface{}{program}
		for _, text := range inputs {
			var input interface{}
			if err := json.Unmarshal(text, &input); err != nil {
				panic(err)
			}
			result := run(program, input)
			if failures, ok := line[len(line)-1].(int); ok && result == nil {
				line[len(line)-1] = failures + 1
			} else if result == nil {
				line = append(line, 1)
			} else {
				line = append(line, result)
			}
		}
		if err := out.Encode(line); err != nil {
			panic(err)
		}
	}
}
