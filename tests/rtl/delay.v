// delay - N registers in a row; none at N = 0.
module delay #(
    parameter N = 1,
    parameter WIDTH = 8
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out
);
    generate
        if (N == 0) begin : through
            wire unused = clk;

            assign out = in;
        end else begin : line
            reg [WIDTH-1:0] stage[0:N-1];
            integer i;

            always @(posedge clk) begin
                stage[0] <= in;
                for (i = 1; i < N; i = i + 1) stage[i] <= stage[i-1];
            end
            assign out = stage[N-1];
        end
    endgenerate
endmodule
